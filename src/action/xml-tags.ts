import { decodeEntities } from './xml-text.ts'

/** An opening tag, read to its `>`. */
export interface OpenTag {
  readonly attributes: ReadonlyMap<string, string>
  readonly selfClosing: boolean
  /** Position after the `>`. */
  readonly end: number
}

const attribute = /\s*([^\s=/>"'<]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/y
const ending = /\s*(\/?)>/y

/** Reads the opening tag whose name ends at `at`; undefined when the tag is incomplete. */
export function readOpenTag(text: string, at: number): OpenTag | undefined {
  const attributes = new Map<string, string>()
  let position = at
  for (;;) {
    ending.lastIndex = position
    const end = ending.exec(text)
    if (end) return { attributes, selfClosing: end[1] === '/', end: ending.lastIndex }
    attribute.lastIndex = position
    const found = attribute.exec(text)
    if (!found) return undefined
    const value = found[2] ?? found[3] ?? found[4]?.replace(/\/$/, '') ?? ''
    attributes.set(found[1] ?? '', decodeEntities(value))
    position = attribute.lastIndex - (found[4]?.endsWith('/') ? 1 : 0)
  }
}

/** Position after the `>` of the closing tag whose name ends at `at`; undefined without a `>`. */
export function readCloseTag(text: string, at: number): number | undefined {
  ending.lastIndex = at
  const end = ending.exec(text)
  return end && end[1] === '' ? ending.lastIndex : undefined
}
