// Package pattern matches strings against bash's shell patterns: * ? [...]
// with ranges, classes, equivalence classes, and the extended forms ?(...)
// *(...) +(...) @(...) !(...).
package pattern
