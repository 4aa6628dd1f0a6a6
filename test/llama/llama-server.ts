import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { listen } from '../browser/support/listen.ts'
import { tinyGguf } from '../browser/support/tiny-gguf.ts'

export interface LlamaServer {
  readonly url: string
  /** Whether its one slot is generating. */
  isBusy(): Promise<boolean>
  close(): Promise<void>
}

export const CONTEXT = 2048

/** What some chat templates say of their tools is longer. */
const LONG_CONTEXT = 16_384

/** llama.cpp's own server with a model of 2.5 MB and one slot, and with another chat template if given. */
export async function startLlamaServer(template?: string): Promise<LlamaServer> {
  const program = process.env['OFFSTAGE_LLAMA_SERVER']
  if (!program) throw new Error('Run this with: npm run test:llama')
  const model = inProject('.cache/llama/tiny.gguf')
  mkdirSync(path.dirname(model), { recursive: true })
  writeFileSync(model, tinyGguf())
  const port = await freePort()
  const serving = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--slots',
    '--no-webui',
    '--jinja',
  ]
  const context = template === undefined ? CONTEXT : LONG_CONTEXT
  const sizing = ['-c', String(context), '-np', '1', '-t', '2', '-ngl', '0']
  const templating = template === undefined ? [] : withTemplate(template)
  const child = spawn(program, ['-m', model, ...serving, ...sizing, ...templating], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (log = (log + String(data)).slice(-4_000)))
  const url = `http://127.0.0.1:${port}`
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) throw new Error(`llama-server ended:\n${log}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    url,
    async isBusy() {
      const slots = (await (await fetch(`${url}/slots`)).json()) as { is_processing: boolean }[]
      return slots.some((slot) => slot.is_processing)
    },
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      await ended
    },
  }
}

/** Rendered as history, an assistant's message is continued only where a request says so. */
function withTemplate(file: string): string[] {
  const context = `llama.context_length=int:${LONG_CONTEXT}`
  const withRawText = ['-lv', '10']
  return [
    '--chat-template-file',
    file,
    '--no-prefill-assistant',
    '--override-kv',
    context,
    ...withRawText,
  ]
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const { url, close } = await listen(createServer())
  await close()
  return Number(new URL(url).port)
}
