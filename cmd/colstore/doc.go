// Command colstore converts, looks at and filters columnar files, and runs recipes.
package main
