/** Of the lines of a file of conversations; that of the rows in them is `FORMAT`. A newer one is refused, too. */
export const FILE_VERSION = 1
