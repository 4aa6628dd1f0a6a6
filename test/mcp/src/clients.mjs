// Connected clients of the official SDKs, for tests.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export async function connectOld(url) {
  const client = new OldClient({ name: 'test', version: '1' })
  await client.connect(new OldTransport(new URL(url)))
  return client
}

export async function connectNew(url) {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}
