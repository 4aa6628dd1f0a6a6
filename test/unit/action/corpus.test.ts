import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { formatAction, parseAction } from '../../../src/action/index.ts'
import type { ActionCall } from '../../../src/action/index.ts'
import type { ToolDefinition } from '../../../src/protocol/tool.ts'
import { canonical, cut, stream, toOutcome } from './harness.ts'
import { eachNth } from '../more.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly note: string
  readonly tools: readonly ToolDefinition[]
  readonly output: string
  readonly finishReason?: string
  readonly expect: {
    readonly text: string
    readonly calls: readonly ActionCall[]
    readonly error: string | null
    readonly suggest?: string
  }
}

const file = new URL('../../fixtures/action/action-cases.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[]

/** The rules of docs/action-spec.md that the cases of a category are about. */
const rules: Readonly<Record<string, string>> = {
  'after-text': 'R4',
  attributes: 'R9',
  case: 'R1, R8',
  cdata: 'R10',
  coercion: 'R12, R14, R15',
  comments: 'R3, R7',
  deep: 'R7',
  entities: 'R11',
  'format-deepseek': 'R18',
  'format-glm': 'R18',
  'format-hermes': 'R18',
  'format-json': 'R18',
  'format-json-fence': 'R18',
  'format-kimi': 'R18',
  'format-llama': 'R18',
  'format-mistral': 'R18',
  'format-mixed': 'R18',
  'format-other': 'R18',
  'format-pycall': 'R18',
  'format-qwen3-coder': 'R18',
  'lenient-markup': 'R10',
  'list-item': 'R13',
  'list-repeat': 'R13',
  'list-single': 'R13, R15',
  'missing-param': 'R9',
  'multi-call': 'R16',
  'multi-param': 'R9',
  nested: 'R14, R15',
  'no-arg': 'R9',
  'number-like-string': 'R12',
  'pi-doctype': 'R7',
  prototype: 'R17',
  simple: 'R1',
  streaming: 'R1, R6',
  talk: 'R2, R3',
  think: 'R5',
  'two-blocks': 'R4',
  unclosed: 'R6',
  unicode: 'R10',
  'unknown-tool': 'R8',
  whitespace: 'R10',
  'wrong-param': 'R9',
}

function named(one: Case): readonly [string, string, Case] {
  const rule = rules[one.category]
  if (rule === undefined) throw new Error(`the category ${one.category} belongs to no rule`)
  return [one.id, rule, one]
}
/** Text that was streamed can't be taken back, so this one needs the option (R5). */
const prefilled = (id: string): { reasoningPrefilled?: boolean } =>
  id === 'think-08' ? { reasoningPrefilled: true } : {}

function randomCuts(text: string, seed: number): string[] {
  let state = seed
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const size = 1 + Math.floor(next() * 9)
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

describe('the corpus', () => {
  it.each(cases.map(named))('%s (%s)', (_id, _rule, one) => {
    const { text, calls, error, suggest } = one.expect
    const finish = one.finishReason === undefined ? {} : { finishReason: one.finishReason }
    const whole = parseAction(one.output, one.tools, finish)
    expect({ text: whole.text, error: whole.error?.code ?? null }).toEqual({ text, error })
    expect(canonical(whole.calls)).toBe(canonical(calls))
    if (suggest !== undefined) expect(whole.error?.suggestion).toBe(suggest)

    const chunkings = [1, 2, 3, 4, 7, 64, Infinity].map((size) => cut(one.output, size))
    chunkings.push(...[1, 2, 3].map((seed) => randomCuts(one.output, seed)))
    for (const pieces of eachNth(3, chunkings)) {
      const parts = stream(pieces, one.tools, { ...prefilled(one.id), ...finish }, (shown) => {
        // An assertion for each character takes longer than reading it.
        if (!text.startsWith(shown.trim())) expect(text).toBe(shown)
      })
      const outcome = toOutcome(parts)
      expect({ text: outcome.text, error: outcome.error }).toEqual({ text, error })
      expect(canonical(outcome.calls)).toBe(canonical(calls))
      if (suggest !== undefined) expect(outcome.suggestion).toBe(suggest)
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as { polluted?: unknown; admin?: unknown }).polluted).toBeUndefined()
  })

  it.each(cases.filter((one) => one.expect.calls.length > 0).map(named))(
    '%s (%s) reads back from its own formatting',
    (_id, _rule, one) => {
      const again = parseAction(formatAction(one.expect.calls, one.tools), one.tools)
      expect(again.error).toBeUndefined()
      expect(canonical(again.calls)).toBe(canonical(one.expect.calls))
    },
  )
})
