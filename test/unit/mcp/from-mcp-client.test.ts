import { expect, it } from 'vitest'
import { fromMcpClient, type McpClientLike } from '../../../src/connect/mcp/index.ts'
import { officialModule, officialServers } from '../../mcp/prepare-servers.ts'
import { contextOf } from './support.ts'

interface Clients {
  connectOld(url: string): Promise<McpClientLike>
  connectNew(url: string): Promise<McpClientLike>
}

it.each([
  ['1', 'connectOld', 'startLegacy'],
  ['2', 'connectNew', 'startModern'],
] as const)(
  'uses the tools of version %s of the official MCP client',
  async (_version, connect, start) => {
    const server = await (await officialServers())[start]()
    const clients = (await officialModule('clients.mjs')) as unknown as Clients
    const mcp = await fromMcpClient(await clients[connect](server.url), { source: 'The shop' })
    const run = (name: string, input: unknown, context = {}): unknown => {
      const tool = mcp.tools.find((one) => one.name === `shop__${name}`)
      if (!tool || !('execute' in tool)) throw new Error(`no ${name}`)
      return tool.execute(input as never, contextOf(context))
    }
    expect(mcp.tools[0]?.remote).toEqual({
      source: 'The shop',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await run('get-weather', { city: 'Oslo' })).toBe('Sunny in Oslo')
    const seen: unknown[] = []
    await run('count', { to: 1 }, { progress: (value: unknown) => seen.push(value) })
    expect(seen).toMatchObject([{ progress: 1, total: 1 }])
    await expect(run('fail', {})).rejects.toThrow('The stock is empty.')
    expect(await mcp.resources.list()).toMatchObject([{ uri: 'note://greeting' }])
    expect(await mcp.prompts.get('review', { code: 'x' })).toMatchObject([{ role: 'user' }])
    const stop = new AbortController()
    stop.abort()
    await expect(run('wait', {}, { signal: stop.signal })).rejects.toMatchObject({
      code: 'mcp-error',
    })
    await mcp.close()
    await server.close()
  },
)
