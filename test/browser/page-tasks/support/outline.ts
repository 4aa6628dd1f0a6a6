/** A line of what the tools say of the page. */
export interface Line {
  readonly depth: number
  readonly role: string
  /** Empty if the line has none. */
  readonly name: string
  readonly ref: string
  /** The text after the colon. */
  readonly text: string
  /** All marks: `[checked] [ref=e3]`. */
  readonly marks: string
  readonly index: number
}

const LINE =
  /^(\s*)(?:- |New: |(?=<(?:new|changed|removed)>))(?:<(?:new|changed|removed)> )?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)(?: \(.*?\))?(?:: ?(.*))?$/

/** The elements that a tool's text tells of, in its order. */
export function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line, index) => {
    const [, indent, role = '', name = '', marks = '', after = ''] = LINE.exec(line) ?? []
    if (indent === undefined) return []
    const ref = /\[ref=(e\d+)\]/.exec(marks)?.[1] ?? ''
    return [
      {
        depth: indent.length,
        role,
        name: name.replaceAll('\\"', '"'),
        ref,
        // Removes the place that `find` adds.
        text: after.replace(/ \(in [a-z]+ ".*"\)$/, ''),
        marks,
        index,
      },
    ]
  })
}

/** The lines below a line. */
export function below(lines: readonly Line[], line: Line): readonly Line[] {
  const after = lines.slice(lines.indexOf(line) + 1)
  const end = after.findIndex(({ depth }) => depth <= line.depth)
  return end < 0 ? after : after.slice(0, end)
}
