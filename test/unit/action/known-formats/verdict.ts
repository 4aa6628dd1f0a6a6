import type { StreamPart } from '../../../../src/protocol/message.ts'
import { canonical, cut, stream } from '../harness.ts'
import { reasoningMarks, thoughtsOf } from './reasoning-marks.ts'
import { hotelTools, samplesOf } from './samples.ts'
import type { CallFormat, Sample } from './samples.ts'
import { callFormats } from './index.ts'

/**
 * The reader's result for a sample:
 * - `read`: all calls are read;
 * - `refused`: an error; nothing runs and no marker is shown;
 * - `text`: nothing runs, and the text is shown, perhaps without end tokens;
 * - `markers`, `refused-markers`: read or refused, but markers stay in the text or the reasoning;
 * - `thought`: everything counts as reasoning;
 * - `thought-runs`: the marks aren't known, so a call in the reasoning counts;
 * - `wrong`: anything else, which must not happen.
 */
export type Outcome =
  | 'read'
  | 'refused'
  | 'text'
  | 'markers'
  | 'refused-markers'
  | 'thought'
  | 'thought-runs'
  | 'wrong'

interface Reading {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly unknown[]
  readonly failed: boolean
}

function readingOf(parts: readonly StreamPart[]): Reading {
  let text = ''
  let reasoning = ''
  let failed = false
  const calls: unknown[] = []
  for (const part of parts) {
    if (part.type === 'text-delta') text += part.delta
    else if (part.type === 'reasoning-delta') reasoning += part.delta
    else if (part.type === 'tool-call' || part.type === 'action-error') {
      failed ||= part.error !== undefined
      if (part.type === 'tool-call' && part.input !== undefined)
        calls.push({ name: part.toolName, input: part.input })
    }
  }
  return { text: text.trim(), reasoning: reasoning.trim(), calls, failed }
}

function outcomeOf(sample: Sample & { readonly reasoning?: string }, got: Reading): Outcome {
  const { text, calls, reasoning = got.reasoning } = sample
  const ran = canonical(got.calls) === canonical(calls) && !got.failed
  if (ran && got.text === text)
    return got.reasoning === reasoning
      ? 'read'
      : got.reasoning.includes(reasoning)
        ? 'markers'
        : 'wrong'
  if (got.calls.length === 0 && got.failed) return got.text === text ? 'refused' : 'refused-markers'
  const isShown = got.text.length > text.length
  if (ran && isShown && got.text !== sample.output.trim()) return 'markers'
  if (got.calls.length === 0 && isShown) return 'text'
  if (got.calls.length === 0 && got.text === '' && got.reasoning !== '') return 'thought'
  return sample.reasoning?.includes('<tool_call>') && !got.failed ? 'thought-runs' : 'wrong'
}

/** The outcome of a sample, whole and character by character, which must agree. */
function read(
  sample: Sample & { readonly reasoning?: string; readonly prefilled?: boolean },
  rescue: boolean,
): Outcome {
  const options = { rescue, ...(sample.prefilled && { reasoningPrefilled: true }) }
  const [whole, ...rest] = [sample.output.length, 1, 3].map((size) =>
    readingOf(stream(cut(sample.output, size), hotelTools, options)),
  )
  if (!whole || rest.some((other) => canonical(other) !== canonical(whole))) return 'wrong'
  return outcomeOf(sample, whole)
}

export interface Row {
  readonly row: string
  /** The outcomes of each sample, by its name, in tool mode and in native mode. */
  readonly outcomes: ReadonlyMap<string, readonly [action: Outcome, native: Outcome]>
}

const rowOf = (row: string, samples: ReadonlyMap<string, Sample>): Row => ({
  row,
  outcomes: new Map(
    [...samples].map(([name, sample]) => [name, [read(sample, false), read(sample, true)]]),
  ),
})

export const callRows = (): Row[] =>
  callFormats.map((format: CallFormat) => rowOf(format.row, samplesOf(format)))

export const reasoningRows = (): Row[] =>
  reasoningMarks.map((marks) => rowOf(marks.row, thoughtsOf(marks)))

const words: Record<Outcome, string> = {
  read: 'read',
  refused: 'refused',
  text: 'shown as text',
  markers: 'read with markers left',
  'refused-markers': 'refused with markers left',
  thought: 'taken for thoughts',
  'thought-runs': 'calls in the thoughts count',
  wrong: 'misread',
}

/** Whether a row is read: in every sample, but for some beside the usual form, or not even that. */
export function verdict({ outcomes }: Row): 'yes' | 'in part' | 'no' {
  const all = [...outcomes.values()].flat()
  if (all.every((outcome) => outcome === 'read')) return 'yes'
  return all[0] === 'read' ? 'in part' : 'no'
}

/** Describes the results for a row that isn't read. */
export const fate = ({ outcomes }: Row): string =>
  [...new Set([...outcomes.values()].flat().map((outcome) => words[outcome]))].sort().join(' or ')

/** The samples of a partly read row that aren't read, and their results. */
export function exceptions({ outcomes }: Row): string {
  const all = [...outcomes].flatMap(([name, [action, native]]) => {
    if (action === 'read' && native === 'read') return []
    if (action === native) return [`${name} (${words[action]})`]
    const parts = [
      action === 'read' ? '' : `in tool mode ${words[action]}`,
      native === 'read' ? '' : `in native mode ${words[native]}`,
    ]
    return [`${name} (${parts.filter((part) => part !== '').join(', ')})`]
  })
  return all.join('; ')
}
