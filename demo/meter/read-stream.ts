import { createAgent, type Agent } from 'offstage'
import { createDemoWorker } from '../worker/demo-worker.ts'
import { countWork } from './busy-time.ts'
import { STREAM_FILE } from './measured-stream.ts'

/** Reads the stream; calls back with each new text. */
export type ReadStream = (onText: (text: string) => void) => Promise<void>

let agent: Agent | undefined

/** Offstage: the worker fetches and parses, this page gets the text. */
export const readInWorker: ReadStream = async (onText) => {
  agent ??= createAgent({
    model: {
      provider: 'openai-compatible',
      model: 'measured',
      baseURL: new URL('measured', document.baseURI).href,
    },
    worker: createDemoWorker().make,
    storage: 'memory',
  })
  const run = agent.run('Go')
  for await (const event of run) if (event.type === 'text-delta') onText(event.delta)
  const result = await run.result
  if (result.outcome === 'failed') throw new Error(result.error.message)
}

/** A plain fetch loop in this page. It stores nothing and checks nothing. */
export const readInPage: ReadStream = async (onText) => {
  const response = await fetch(new URL(STREAM_FILE, document.baseURI), { cache: 'no-store' })
  if (!response.ok || !response.body) throw new Error(`The stream failed: ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const startedAt = performance.now()
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue
      const { choices } = JSON.parse(line.slice('data: '.length)) as Chunk
      onText(choices[0]?.delta.content ?? '')
    }
    countWork(startedAt)
  }
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[]
}
