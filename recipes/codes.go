package recipes

// The codes of problems. R1xx is YAML and structure, R2xx values, R3xx names, types and expressions, W is a warning. A
// code never changes its meaning; R207 and the R4xx to R7xx belong to fields that this version does not run yet.
const (
	codeYAML        = "R100"
	codeQuote       = "R101"
	codeUnknown     = "R102"
	codeTab         = "R103"
	codeTwice       = "R104"
	codeBomb        = "R105"
	codeCharacter   = "R106"
	codeTag         = "R107"
	codeShape       = "R108"
	codeLater       = "R109"
	codeRequired    = "R110"
	codeVersion     = "R111"
	codeDocuments   = "R112"
	codeEmpty       = "R201"
	codeNumber      = "R202"
	codeAmbiguous   = "R203"
	codeBounds      = "R204"
	codeSize        = "R205"
	codeChoice      = "R206"
	codeBoolean     = "R208"
	codeDType       = "R209"
	codeOption      = "R210"
	codeParam       = "R211"
	codeSubstitute  = "R212"
	codeDate        = "R213"
	codeOutput      = "R214"
	codeStream      = "R215"
	codeNoColumn    = "R301"
	codeNoFunction  = "R302"
	codeNoParam     = "R303"
	codeSyntax      = "R304"
	codeSameAssign  = "R305"
	codeType        = "R306"
	codeDuplicate   = "R307"
	codeRead        = "R308"
	codeOtherRows   = "R320"
	codeNoTemplate  = "R331"
	warnParamUnused = "W301"
	warnUnread      = "W302"
)

// codes explains them.
var codes = []struct{ code, text string }{
	{codeYAML, "the file is not YAML: a key, an indentation, a bracket or a quote is not where it can be"},
	{codeQuote, "a value begins or goes on with a character that means something to YAML; quote it"},
	{codeUnknown, "a field or step that the language does not have"},
	{codeTab, "a tab indents a line; YAML takes spaces only"},
	{codeTwice, "a key is there twice in one map"},
	{codeBomb, "nesting or aliases beyond what a recipe may have, or an alias of what it is in"},
	{codeCharacter, "a character that a recipe cannot have: a control character, or bytes that are not UTF-8"},
	{codeTag, "a YAML tag; the language has none"},
	{codeShape, "a text, a list or a map where one of the others belongs"},
	{codeLater, "a part of the language that this version does not run yet"},
	{codeRequired, "a field that has to be there is missing"},
	{codeVersion, "a version of the language that this program does not read"},
	{codeDocuments, "a file without a recipe, or with more than one"},
	{codeEmpty, "a field without a value"},
	{codeNumber, "a value that is not the number it should be"},
	{codeAmbiguous, "a number that YAML versions read differently: a leading zero, an underscore, 0o or 0b"},
	{codeBounds, "a number outside of what the field takes"},
	{codeSize, "a value that is not a size in bytes"},
	{codeChoice, "a word that is not one of those the field takes"},
	{codeBoolean, "a word that only some YAML versions take for true or false"},
	{codeDType, "a dtype that does not exist or cannot be stored"},
	{codeOption, "an option that the format does not have, or a value that the option does not take"},
	{codeParam, "a parameter without a value, with a bad name, or with a value it does not take"},
	{codeSubstitute, "a ${…} that is not closed, is none there is, or names a variable that is not set"},
	{codeDate, "a letter of ${date:…} that stands for nothing"},
	{codeOutput, "two outputs with one path, or a path of which nothing tells the format"},
	{codeStream, "standard input or output in the place of a file"},
	{codeNoColumn, "a column that is not there at this step"},
	{codeNoFunction, "a function that expressions do not have"},
	{codeNoParam, "a parameter that the recipe does not have"},
	{codeSyntax, "an expression that is not one"},
	{codeSameAssign, "an expression uses a column that is made in its own assign step"},
	{codeType, "an expression or a step puts types together that do not go together"},
	{codeDuplicate, "a column is named twice, or two columns would have one name"},
	{codeRead, "a column of the input that cannot be read as the recipe says"},
	{codeOtherRows, "a step or a function that needs other rows; both see one row at a time"},
	{codeNoTemplate, "a ${…} where none is filled in: expressions take @name instead"},
	{warnParamUnused, "a parameter that nothing uses"},
	{warnUnread, "a column that is read and never used"},
}

// Explain returns in one line what a code means.
func Explain(code string) (text string, ok bool) {
	for _, c := range codes {
		if c.code == code {
			return c.text, true
		}
	}
	return "", false
}
