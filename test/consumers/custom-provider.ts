import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import path from 'node:path'
import { inProject } from '../../scripts/lib/project.mjs'
import { listen } from '../browser/support/listen.ts'

const GUIDE = 'docs/providers/writing-a-provider.md'

/** Puts the guide's own file into the app, so that the guide is what is tested. */
export function addGuideProvider(folder: string): void {
  const guide = readFileSync(inProject(GUIDE), 'utf8')
  const file = /```ts\n(\/\/ my-provider\.ts\n[^]*?)```/.exec(guide)?.[1]
  if (file === undefined) throw new Error(`${GUIDE} has no my-provider.ts any more.`)
  writeFileSync(path.join(folder, 'src/my-provider.ts'), file)
}

export interface GuideModel {
  readonly url: string
  /** Problems found in the requests. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

const addMug = [
  { token: 'I add it.' },
  { call: { id: '1', name: 'add_item', arguments: '{"name":"blue mug"}' } },
]
const answers: readonly (readonly object[])[] = [
  addMug,
  [...addMug, { done: 'stop' }],
  [{ token: 'The mug is ' }, { token: 'in the list.' }, { done: 'stop' }],
]

/** A server with the wire format of the guide. Its first answer breaks off. */
export async function startGuideModel(): Promise<GuideModel> {
  const problems: string[] = []
  let count = 0
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'content-type, authorization')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (request.url !== '/generate') problems.push(`asked for ${request.url ?? ''}`)
    if (request.headers.authorization !== 'Bearer key-of-the-app') problems.push('no key')
    let body = ''
    request.setEncoding('utf8').on('data', (piece) => (body += String(piece)))
    request.on('end', () => {
      if (count === 2 && !body.includes('blue mug')) problems.push('no result was sent')
      send(response, answers[count++] ?? [])
    })
  })
  return { ...(await listen(server)), problems }
}

function send(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
}
