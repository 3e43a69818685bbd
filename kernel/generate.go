package kernel

// Assembly is written by the programs in _gen, a module of its own, one for each family of kernels: X_amd64.s and the
// declarations in X_asm_amd64.go. The stage "asm" of .ci/run holds that they are what the generators write.

//go:generate go run -C _gen ./arith -out ../arith_amd64.s -stubs ../arith_asm_amd64.go -pkg kernel -dispatch ../arith_call_amd64.go
//go:generate go run -C _gen ./bitmap -out ../bitmap_amd64.s -stubs ../bitmap_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./blend -out ../blend_amd64.s -stubs ../blend_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./cast -out ../cast_amd64.s -stubs ../cast_asm_amd64.go -pkg kernel -dispatch ../cast_call_amd64.go
//go:generate go run -C _gen ./compare -out ../compare_amd64.s -stubs ../compare_asm_amd64.go -pkg kernel -dispatch ../compare_call_amd64.go
//go:generate go run -C _gen ./compress -out ../compress_amd64.s -stubs ../compress_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./fused -out ../fused_amd64.s -stubs ../fused_asm_amd64.go -pkg kernel -dispatch ../fused_call_amd64.go
//go:generate go run -C _gen ./gather -out ../gather_amd64.s -stubs ../gather_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./math -out ../math_amd64.s -stubs ../math_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./reduce -out ../reduce_amd64.s -stubs ../reduce_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./stream -out ../stream_amd64.s -stubs ../stream_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./swap -out ../swap_amd64.s -stubs ../swap_asm_amd64.go -pkg kernel
//go:generate go run -C _gen ./zip -out ../zip_amd64.s -stubs ../zip_asm_amd64.go -pkg kernel
