import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import path from 'node:path'
import { listen } from './listen.ts'

export interface SiteFile {
  readonly body: string
  readonly type?: string
  readonly headers?: Headers
  /** How long the server takes to answer. Default 0. */
  readonly afterMs?: number
  /** The test says when the server answers. */
  readonly until?: Promise<unknown>
}

type Headers = Readonly<Record<string, string>>

export interface SiteOptions {
  /** Folders by URL prefix, for example `{ '/dist/': '/path/to/dist' }`; the longest prefix wins. */
  readonly folders: Readonly<Record<string, string>>
  /** Headers of a path's response, for example a Content-Security-Policy for the worker file. */
  readonly headers?: (urlPath: string) => Headers
}

/** A static web server for one test worker, on a free port of this machine. */
export interface Site {
  /** Without a slash at the end. */
  readonly url: string
  /** Serves a file from memory; it wins over the folders. */
  add(urlPath: string, file: SiteFile): void
  /** Headers for one path's response; null takes them away. */
  setHeaders(urlPath: string, headers: Headers | null): void
  close(): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

export async function serveSite(options: SiteOptions): Promise<Site> {
  const memory = new Map<string, SiteFile>()
  const extra = new Map<string, Headers>()

  const server = createServer((request, response) => {
    const urlPath = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname)
    const headers = { ...options.headers?.(urlPath), ...extra.get(urlPath) }
    const file = memory.get(urlPath)
    if (file) {
      const answer = (): void => {
        response.writeHead(200, {
          'content-type': file.type ?? typeOf(urlPath),
          'cache-control': 'no-store',
          ...headers,
          ...file.headers,
        })
        response.end(file.body)
      }
      if (file.until) void file.until.then(answer)
      else if (file.afterMs) setTimeout(answer, file.afterMs)
      else answer()
      return
    }
    sendFile(response, fileOnDisk(options.folders, urlPath), headers)
  })

  const { url, close } = await listen(server)
  return {
    url,
    close,
    add: (urlPath, file) => void memory.set(urlPath, file),
    setHeaders(urlPath, headers) {
      if (headers) extra.set(urlPath, headers)
      else extra.delete(urlPath)
    },
  }
}

function fileOnDisk(folders: SiteOptions['folders'], urlPath: string): string | null {
  const prefix = Object.keys(folders)
    .filter((candidate) => urlPath.startsWith(candidate))
    .toSorted((a, b) => b.length - a.length)[0]
  const folder = prefix === undefined ? undefined : folders[prefix]
  if (prefix === undefined || folder === undefined) return null
  const rest = urlPath.slice(prefix.length) || 'index.html'
  const file = path.resolve(folder, rest.endsWith('/') ? `${rest}index.html` : rest)
  const inside = file.startsWith(path.resolve(folder) + path.sep)
  return inside && existsSync(file) && statSync(file).isFile() ? file : null
}

function sendFile(response: ServerResponse, file: string | null, headers: Headers): void {
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
    return
  }
  const fixed = { 'content-type': typeOf(file), 'cache-control': 'no-store' }
  response.writeHead(200, { ...fixed, ...headers })
  createReadStream(file).pipe(response)
}

function typeOf(name: string): string {
  return TYPES[path.extname(name)] ?? 'application/octet-stream'
}
