import type { ErrorData } from '../../protocol/error.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import type { HttpProviderDefinition, ModelRequest } from '../provider.ts'
import { createChunkReader } from './chunk-reader.ts'
import { withRaw } from './raw-parts.ts'
import { createPartGate } from './part-gate.ts'

/** Bytes of an answer on their way to parts. */
export interface AnswerReader {
  /** More bytes are wanted. */
  isOpen(): boolean
  /** Its end was seen: nothing is missing, whatever follows in the body. */
  isProven(): boolean
  /** Its output is over; only its end is awaited. */
  isEnding(): boolean
  push(bytes: Uint8Array): readonly StreamPart[]
  /** The body is over. */
  end(): readonly StreamPart[]
  /** The last parts. `failure`: what cut the answer short, the body's end excepted. */
  close(failure: ErrorData | undefined): readonly StreamPart[]
}

/** Failures that a proof of the end, seen before, outweighs: nothing is missing then. */
const harmlessAfterEnd: ReadonlySet<string> = new Set(['stream-incomplete', 'timeout'])

export function createAnswerReader<State>(
  definition: HttpProviderDefinition<State>,
  state: State,
  answer: Pick<ModelRequest, 'raw'> & { readonly contentType: string | null },
): AnswerReader {
  const { contentType } = answer
  const chunks = createChunkReader(contentType)
  const gate = createPartGate()

  function map(values: readonly unknown[]): readonly StreamPart[] {
    const batch: StreamPart[] = []
    for (const value of values) {
      // What follows the end is ignored, in whichever piece it comes.
      if (gate.ending() !== undefined) break
      gate.pass(withRaw(answer, value, definition.mapChunk(state, value)), batch)
    }
    return batch
  }

  return {
    isOpen: () => chunks.status() === 'open' && gate.ending() === undefined,
    isProven: () => chunks.status() === 'done' || gate.ending() === 'finish',
    isEnding: () => definition.isEnding?.(state) === true,
    push: (bytes) => map(chunks.push(bytes)),
    end: () => map(chunks.end()),
    close(cause) {
      const batch: StreamPart[] = []
      const status = chunks.status()
      const unread = typeof status === 'string' || gate.ending() === 'finish' ? undefined : status
      const error = cause ?? unread
      const isFinal = error !== undefined && !harmlessAfterEnd.has(error.code)
      if (gate.ending() !== 'finish') {
        // An end marker after an error is read only where both came in one piece, and proves nothing.
        const done = cause === undefined && status === 'done' && gate.ending() === undefined
        const ended = definition.end?.(state, { done }) ?? []
        // Why this side ended it counts more than what the answer seems to be.
        gate.pass(isFinal && cause ? ended.filter(({ type }) => type !== 'error') : ended, batch)
      }
      gate.close(batch, error && { error, final: isFinal })
      return batch
    },
  }
}
