// A theme is a style sheet. TypeScript asks for a declaration where it is imported.
export {}
