/** Where the words of a failure are kept for what was pressed. */
export function problemKey(key: string): string {
  return `problem:${key}`
}
