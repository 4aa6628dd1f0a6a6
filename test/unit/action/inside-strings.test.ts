import { describe, expect, it } from 'vitest'
import { dialectTable } from './dialect-table.ts'
import type { Dialect } from './dialect-table.ts'
import { cut, stream, toOutcome, tools } from './harness.ts'
import { MORE } from '../../../scripts/lib/more.mjs'

/** Values in quotation marks or between marks: raw text has no strings to look into. */
const quoting = dialectTable.filter(
  ({ without }) => without === undefined || /escape|"/.test(without.source),
)

const click = { toolName: 'click', input: { index: 7 } }
const block = '<ACTION><click><index>7</index></click></ACTION>'
const hermes = '<tool_call>\n{"name":"click","arguments":{"index":7}}\n</tool_call>'

const write = (dialect: Dialect, content: string, others: readonly (typeof click)[] = []): string =>
  dialect.write([{ toolName: 'write_file', input: { path: 'p', content } }, ...others])

/** Closing marks that follow the value in this format, each also with the end of a thought. */
function closersOf(dialect: Dialect): string[] {
  const text = write(dialect, 'CONTENT')
  const tail = text.slice(text.indexOf('CONTENT') + 'CONTENT'.length)
  const own = tail.match(/<[^<>]+>|\[[^\]]+\]|```/g) ?? []
  return ['', ...new Set(own)]
    .filter((closer) => !(dialect.without?.test(closer) ?? false))
    .flatMap((closer) => [closer, `${closer}</think>`, `${closer}\n`, `${closer}\n</think>\n`])
}

let outputs = 0

/** Lengths of pieces. `npm test` reads each third output in single characters, and the others whole. */
const sizes = (): readonly number[] => (MORE ? [1, 1000] : [outputs++ % 3 === 0 ? 1 : 1000])

const calls = (output: string, rescue: boolean, size: number): unknown[] =>
  toOutcome(stream(cut(output, size), tools, { rescue })).calls

describe('text inside a string (Q6)', () => {
  it.each(quoting.map((dialect) => [dialect.name, dialect] as const))(
    'never runs, whatever closers precede it: %s',
    (_, dialect) => {
      for (const closer of closersOf(dialect))
        for (const inner of [block, hermes, dialect.write([click])]) {
          if (dialect.without?.test(inner)) continue
          const whole = write(dialect, `note: ${closer}${inner}`)
          const isCutOff = whole.slice(0, whole.lastIndexOf('7') + 30)
          for (const output of [whole, isCutOff])
            for (const rescue of [false, true])
              for (const size of sizes()) {
                const read = calls(output, rescue, size)
                expect([output, rescue, read]).not.toMatchObject([output, rescue, [click]])
                expect(read.slice(1)).toEqual([])
              }
        }
    },
  )

  it.each(quoting.map((dialect) => [dialect.name, dialect] as const))(
    'is content after a closer on its line: %s',
    (_, dialect) => {
      for (const closer of closersOf(dialect).filter((text) => !text.includes('\n'))) {
        const content = `note: ${closer}${block}`
        const wanted = [{ toolName: 'write_file', input: { path: 'p', content } }]
        for (const size of [1, 1000])
          expect([closer, calls(write(dialect, content), false, size)]).toEqual([closer, wanted])
      }
    },
  )
})
