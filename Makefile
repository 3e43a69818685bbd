# The project's chores. Continuous integration runs all of them through .ci/run, which says what each one does.

.PHONY: build test check lint vet race purego cross fuzz soak bench peers interop notices clean

build: ## the colstore binary, in ./colstore
	CGO_ENABLED=0 go build -trimpath -o colstore ./cmd/colstore

test:
	go test ./...

check: ## what a change has to pass
	.ci/run format lint vet tidy race purego

lint vet race purego cross fuzz soak interop: ## one stage of continuous integration
	.ci/run $@

peers: ## the Python side of interop and bench, in .peers
	.ci/run peers

bench: ## whole workloads side by side with other tools
	go run ./benchmark

notices: ## the licences of what is linked into the binary
	.ci/notices > THIRD_PARTY_NOTICES.new
	mv THIRD_PARTY_NOTICES.new THIRD_PARTY_NOTICES

clean:
	rm -rf colstore .peers recipes/out
