import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestAgent, createTestStorage } from '../../src/testing/index.ts'
import { configOf, formats, recordExchanges } from './formats.ts'
import { startLlamaServer, type LlamaServer } from './llama-server.ts'

// The model reads text only. A file that llama.cpp refuses is left out, and the conversation goes on.

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const files = {
  picture: { type: 'file', mediaType: 'image/png', data: PIXEL, filename: 'mine.png' },
  PDF: { type: 'file', mediaType: 'application/pdf', data: btoa('%PDF-1.4'), filename: 'mine.pdf' },
} as const

let server: LlamaServer

beforeAll(async () => {
  server = await startLlamaServer()
}, 60_000)

afterAll(() => server.close())
afterEach(() => vi.unstubAllGlobals())

describe.each(formats)('llama-server in $format', (format) => {
  // Documents of Messages are ignored by llama.cpp without a word.
  const kinds =
    format.format === 'Messages' ? (['picture'] as const) : (['picture', 'PDF'] as const)

  test.each(kinds)(
    'a refused %s is left out, and the next messages need one request each',
    async (kind) => {
      const exchanges = recordExchanges()
      const testStorage = createTestStorage()
      const open = () =>
        createTestAgent({
          model: configOf(format, server.url, { maxOutputTokens: 16 }),
          testStorage,
        })
      const ask = async (agent: ReturnType<typeof open>, withFile: boolean) => {
        exchanges.length = 0
        const text = { type: 'text', text: 'Hello' } as const
        const run = agent.run(withFile ? [text, files[kind]] : [text], { conversationId: 'c' })
        const warnings: string[] = []
        for await (const event of run) if (event.type === 'warning') warnings.push(event.message)
        const end = await run.result
        expect('error' in end ? end.error : undefined).toBeUndefined()
        return { warnings, statuses: exchanges.map(({ status }) => status) }
      }
      const agent = open()
      const first = await ask(agent, true)
      expect(first.statuses.length).toBeLessThanOrEqual(3)
      expect(first.statuses.findIndex((status) => status === 200)).toBe(first.statuses.length - 1)
      expect(first.statuses.length).toBeGreaterThan(1)
      expect(first.warnings).toEqual([expect.stringContaining('Files were left out')])
      expect(await ask(agent, false)).toEqual({ warnings: [], statuses: [200] })
      await agent.dispose()
      const reloaded = open()
      expect(await ask(reloaded, false)).toEqual({ warnings: [], statuses: [200] })
      await reloaded.dispose()
    },
  )
})
