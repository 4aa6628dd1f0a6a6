/** The ref in the first line of an outline or report that matches. */
export function refIn(text: string, line: RegExp): string {
  const found = text.split('\n').find((one) => line.test(one) && one.includes('[ref='))
  const ref = /\[ref=(e\d+)\]/.exec(found ?? '')?.[1]
  if (!ref) throw new Error(`No ref in a line like ${line}:\n${text}`)
  return ref
}
