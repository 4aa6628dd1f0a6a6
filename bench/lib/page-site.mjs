import { createServer } from 'node:http'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { runnerImport } from 'vite'
import { samplePages } from '../../test/apps/sample-pages.mjs'
import { inProject } from '../../scripts/lib/project.mjs'

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' }

/** Serves the pages to read: the sample pages, the ARIA patterns and the test apps. */
export async function startPageSite() {
  const { module } = await runnerImport(inProject('test/apps/prepare-apps.ts'))
  const apps = await module.prepareApps()
  const pages = new Map(
    Object.entries(samplePages).map(([name, body]) => [
      `/${name}.html`,
      `<!doctype html><title>${name}</title><body>${body}`,
    ]),
  )
  pages.set(
    '/aria-patterns.html',
    readFileSync(inProject('test/apps/pages/aria-patterns.html'), 'utf8'),
  )
  const server = createServer((request, response) => {
    const page = pages.get(request.url)
    if (page) response.writeHead(200, { 'content-type': TYPES['.html'] }).end(page)
    else void sendFile(path.join(apps, request.url ?? ''), response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  const appPages = readdirSync(apps).filter((name) => name.endsWith('.html'))
  return {
    pages: [...pages.keys(), ...appPages.map((name) => `/${name}`)].map((address) => ({
      name: path.parse(address).name,
      url: url + address,
    })),
    close: () => server.close(),
  }
}

async function sendFile(file, response) {
  try {
    const body = await readFile(file)
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}
