import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { filePieces } from '../../../src/client/transfer/export-file.ts'
import { FileImport } from '../../../src/client/transfer/transfer.ts'
import type { ConversationRecord } from '../../../src/protocol/conversation.ts'
import type { Row } from '../../../src/protocol/fact.ts'

const ROW = 20_000
const ROWS = 10_000
const MEGABYTE = 1_000_000

it('200 MB are exported and imported with only a few in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = (): number => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return (heapUsed + arrayBuffers) / MEGABYTE
  }
  const record: ConversationRecord = {
    format: 2,
    conversationId: 'c',
    title: 'T',
    createdAt: 1,
    updatedAt: 1,
    lastSeq: ROWS,
    epoch: 1,
    era: 0,
    openRunId: null,
    openCalls: [],
  }
  const row = (seq: number): Row => ({
    format: 2,
    conversationId: 'c',
    seq,
    runId: null,
    at: 1,
    appendId: 'a',
    type: 'renamed',
    title: `${seq} `.padEnd(ROW, 'x'),
  })
  let read = 0
  let placed = 0
  let most = 0
  const before = used()
  const pieces = filePieces(
    async (_id, after, count) => {
      const rows = Array.from({ length: Math.min(count, ROWS - after) }, (_, at) =>
        row(after + at + 1),
      )
      read += rows.length
      return { record, rows, fault: null }
    },
    { records: [record], roots: [record], lastSeq: () => Infinity },
  )
  const reading = new FileImport(new Set(), {
    write: async ({ rows }) => {
      placed += rows.length
      // Only a few rows may be read but not yet placed, at any time.
      expect(read - placed).toBeLessThan((4 * MEGABYTE) / ROW)
      if (placed % 500 < 60) most = Math.max(most, used() - before)
      return true
    },
    drop: async () => undefined,
  })
  await reading.read(pieces)
  expect(reading.report).toEqual({ imported: [{ from: 'c', to: 'c' }], refused: [] })
  expect(placed).toBe(ROWS)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThan(40)
}, 120_000)
