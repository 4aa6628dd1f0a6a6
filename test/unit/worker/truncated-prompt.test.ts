import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, onTestFinished, test } from 'vitest'
import { defineTool, type RunEvent } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import type { Message, Usage } from '../../../src/protocol/message.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { truncationSigns } from '../../../src/worker/run/ask-model.ts'

const SENTENCES: Readonly<Record<string, string>> = {
  English: 'The invoice was approved yesterday, and the accountant has already paid it. ',
  German: 'Die Rechnungsprüfungsabteilung hat die Überweisungsbestätigung gestern verschickt. ',
  Finnish: 'Kirjanpitäjä hyväksyi laskun eilen ja maksoi sen epäröimättä kokonaisuudessaan. ',
  Russian: 'Счёт был утверждён вчера, и бухгалтер уже оплатил его полностью. ',
  Greek: 'Το τιμολόγιο εγκρίθηκε χθες και ο λογιστής το έχει ήδη πληρώσει. ',
  Arabic: 'تمت الموافقة على الفاتورة أمس وقد دفعها المحاسب بالفعل. ',
  Hindi: 'चालान कल स्वीकृत हुआ था और लेखाकार ने इसका भुगतान कर दिया है। ',
  Tamil: 'விலைப்பட்டியல் நேற்று அங்கீகரிக்கப்பட்டது, கணக்காளர் ஏற்கனவே செலுத்திவிட்டார். ',
  Thai: 'ใบแจ้งหนี้ได้รับการอนุมัติเมื่อวานนี้ และนักบัญชีได้ชำระเงินแล้ว ',
  Chinese: '发票昨天已经批准，会计已经全部付清，请您查收并确认。',
  Japanese: '請求書は昨日承認され、経理担当者がすでに全額を支払いました。',
  Korean: '송장은 어제 승인되었으며 회계사가 이미 전액을 지불했습니다. ',
  JSON: '{"id":1742,"name":"Blue mug","price":{"amount":9.5,"currency":"EUR"},"tags":["new"]},',
  code: 'export const sum = (values) => values.reduce((total, value) => total + value, 0)\n',
  table: '| --------------- | --------------- |\n| Mugs and plates | 12 in the store |\n',
  base64: 'TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuIFRoZXJlIGFyZSBtYW55IGhhbmRzIGhlcmUu',
}

const request = (messages: readonly Message[]): ModelRequest => ({
  messages,
  tools: [],
  toolMode: 'native',
})
const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const assistant = (text: string): Message => ({
  role: 'assistant',
  parts: [{ type: 'text', text }],
})

test.each(Object.entries(SENTENCES))(
  'a server that reads all of %s shows no truncation, even counting a third less',
  (_language, sentence) => {
    const text = sentence.repeat(300)
    const counted = Math.round(countTokens(text) * 0.67)
    expect(counted).toBeGreaterThan(1000)
    for (const messages of [[user(text)], [user(text), assistant('Yes.'), user('And?')]])
      expect(truncationSigns(request(messages), counted).signs).toBe(0)
  },
)

test.each(['English', 'Russian', 'Chinese', 'Korean'])(
  'a server that reads 2050 of 9000 tokens of %s shows truncation',
  (language) => {
    const sentence = SENTENCES[language] ?? ''
    const text = sentence.repeat(Math.ceil(9000 / countTokens(sentence)))
    const signs = (messages: readonly Message[]): number =>
      truncationSigns(request(messages), 2050).signs
    expect(signs([user(text)])).toBe(2)
    expect(signs([user('Hi'), assistant(text), user('And?')])).toBe(2)
    expect(signs([user(text), assistant('Yes.'), user('And?')])).toBe(1)
    // A server that reports only uncached tokens still counts everything since the last answer.
    expect(signs([user(text), assistant(text), user('And?')])).toBe(2)
  },
)

const words = (count: number): string => 'word '.repeat(count)

interface Played {
  /** Usage that the server reports for a request of `words` words. */
  count(words: number, step: number): Usage
  /** Number of words in each step's result. */
  results: readonly number[]
  instructions?: number
}

/** The warnings of a run, and of one after it. */
async function warnings({ count, results, instructions = 0 }: Played): Promise<string[]> {
  let step = 0
  const agent = createTestAgent({
    model: { provider: 'counting', model: 'm' },
    instructions: words(instructions),
    maxSteps: -1,
    providers: [
      {
        id: 'counting',
        async *stream(sent) {
          const length = JSON.stringify([sent.instructions, sent.messages]).split('word').length
          yield [{ type: 'usage', usage: count(length, step) }]
          if (step++ % (results.length + 1) < results.length) {
            const call = { toolCallId: `c${step}`, toolName: 'look', input: { step } }
            yield [
              { type: 'tool-call', ...call },
              { type: 'finish', finishReason: 'tool-calls' },
            ]
          } else
            yield [
              { type: 'text-delta', delta: 'Done.' },
              { type: 'finish', finishReason: 'stop' },
            ]
        },
      },
    ],
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        inputSchema: { type: 'object' },
        execute: () => words(results[(step - 1) % (results.length + 1)] ?? 0),
      }),
    ],
  })
  onTestFinished(() => agent.dispose())
  const seen: RunEvent[] = []
  onTestFinished(agent.conversation('c').subscribe(() => undefined))
  for (const text of ['One', 'Two']) {
    for await (const event of agent.run(text, { conversationId: 'c' }))
      if (event.type === 'warning' && event.code === 'prompt-truncated') seen.push(event)
  }
  const stored = (): string[] =>
    agent
      .conversation('c')
      .getSnapshot()
      .messages.flatMap((message) =>
        'losses' in message ? (message.losses ?? []).map((loss) => loss.message) : [],
      )
  await expect.poll(stored).toEqual(seen.map((event) => 'message' in event && event.message))
  return seen.map((event) => (event.type === 'warning' ? event.message : ''))
}

test('a server that truncates requests is reported once, with numbers and a remedy', async () => {
  const cuts = (length: number): Usage => ({ inputTokens: Math.min(2050, length) })
  const long = await warnings({ count: cuts, results: [9000, 10, 10] })
  expect(long).toEqual([
    expect.stringMatching(/^The server read about 2050 of 90\d\d tokens: .*OLLAMA_CONTEXT/),
  ])
  // Long instructions may come from a cache that the server doesn't count: twice is a proof.
  expect(await warnings({ count: cuts, results: [10, 10], instructions: 9000 })).toHaveLength(1)
})

test.each<[string, Played['count']]>([
  ['all', (length) => ({ inputTokens: length })],
  ['what its cache had apart', (length) => ({ inputTokens: 20, cachedInputTokens: length - 20 })],
  ['all, and the cached part of it', (length) => ({ inputTokens: length, cachedInputTokens: 900 })],
  ['nothing', () => ({})],
])('a server that counts %s is not reported', async (_what, count) => {
  expect(await warnings({ count, results: [3000, 3000, 10], instructions: 3000 })).toEqual([])
})

test('a server that counts only uncached tokens is not reported', async () => {
  let before = 0
  const count = (length: number): Usage => {
    const fresh = length - before
    before = length
    return { inputTokens: fresh }
  }
  const results = [3000, 3000, 3000, 1200, 10]
  expect(await warnings({ count, results, instructions: 3000 })).toEqual([])
})
