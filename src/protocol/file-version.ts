/** Version of the lines in an export file; the rows in them have the version `FORMAT`. Newer files are refused. */
export const FILE_VERSION = 1
