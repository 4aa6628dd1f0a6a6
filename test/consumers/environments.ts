import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { serveSite, type Site, type SiteOptions } from '../browser/support/site.ts'
import { pageWith, type ServedApp } from './serve-app.ts'

const PACKAGE = '/node_modules/offstage/dist'
const GLOBAL_SCRIPT = `<script src="${PACKAGE}/offstage.global.js"></script>`
const ORIGIN_FOR_ALL = { 'access-control-allow-origin': '*' }

/** An app that imports the package by its files' addresses, with these headers on all that is served. */
export async function modules(
  folder: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ServedApp> {
  const site = await siteOf(folder, { headers: () => headers })
  site.add('/', { body: pageWith('/shop-by-path.js'), type: 'text/html' })
  return served(site)
}

export async function importMap(folder: string): Promise<ServedApp> {
  const site = await siteOf(folder)
  const imports = JSON.stringify({ imports: { offstage: `${PACKAGE}/index.js` } })
  const map = `<script type="importmap">${imports}</script>`
  site.add('/', { body: pageWith(map, '/src/index.js'), type: 'text/html' })
  return served(site)
}

/** Imitates a build that only copies files: `dist` is unchanged, in another place. */
export async function copied(folder: string): Promise<ServedApp> {
  cpSync(path.join(folder, 'node_modules/offstage/dist'), path.join(folder, 'public/vendor'), {
    recursive: true,
  })
  const site = await serveSite({ folders: { '/': path.join(folder, 'public') } })
  site.add('/shop.js', { body: readShop(folder) })
  site.add('/app.js', { body: appOf('/vendor/index.js', '/shop.js') })
  site.add('/', { body: pageWith('/app.js'), type: 'text/html' })
  return served(site)
}

export async function script(folder: string): Promise<ServedApp> {
  const site = await siteOf(folder)
  site.add('/', { body: pageWith(GLOBAL_SCRIPT, '/shop-by-global.js'), type: 'text/html' })
  return served(site)
}

/** Loads the script from another origin, as from a CDN. */
export async function scriptElsewhere(folder: string): Promise<ServedApp> {
  const cdn = await serveSite({ folders: { '/': folder } })
  const site = await siteOf(folder)
  const element = `<script src="${cdn.url}${PACKAGE}/offstage.global.js"></script>`
  site.add('/', { body: pageWith(element, '/shop-by-global.js'), type: 'text/html' })
  const { url, output, close } = served(site)
  return {
    url,
    output,
    async close() {
      await Promise.all([close(), cdn.close()])
    },
  }
}

/** The app is in a frame with an origin of its own kind: `null`. */
export async function sandboxed(folder: string, kind: 'script' | 'modules'): Promise<ServedApp> {
  const site = await siteOf(folder, { headers: () => ORIGIN_FOR_ALL })
  const body = kind === 'script' ? pageWith(...classic()) : pageWith('/shop-by-path.js')
  site.add('/framed.html', { body })
  const frame = '<iframe sandbox="allow-scripts" src="/framed.html"></iframe>'
  site.add('/', { body: pageWith(frame), type: 'text/html' })
  return served(site)
}

/** Every request of the page goes through a service worker that fetches it. */
export async function underServiceWorker(folder: string): Promise<ServedApp> {
  const site = await siteOf(folder)
  site.add('/sw.js', {
    body: `addEventListener('activate', (event) => event.waitUntil(clients.claim()))
      addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))`,
  })
  site.add('/registers.js', {
    body: `const { serviceWorker } = navigator
      const controlled = new Promise((resolve) => (serviceWorker.oncontrollerchange = resolve))
      await serviceWorker.register('/sw.js')
      if (!serviceWorker.controller) await controlled
      await import('/shop-by-path.js')`,
  })
  site.add('/', { body: pageWith('/registers.js'), type: 'text/html' })
  return served(site)
}

/** Modules can't be loaded from files; classic scripts can. */
export function file(folder: string): Promise<ServedApp> {
  writeFileSync(path.join(folder, 'shop-classic.js'), classicShop(folder))
  const page = path.join(folder, 'shop.html')
  writeFileSync(page, pageWith(...classic('.')))
  return Promise.resolve(unserved(pathToFileURL(page).href))
}

/** A page of an extension (Manifest V3), under the policy that Chromium sets for it. */
export function extension(appFolder: string): Promise<ServedApp> {
  const folder = path.join(appFolder, 'extension')
  mkdirSync(folder, { recursive: true })
  cpSync(path.join(appFolder, 'node_modules/offstage/dist'), path.join(folder, 'vendor'), {
    recursive: true,
  })
  const manifest = { manifest_version: 3, name: 'Shop', version: '1.0' }
  const files = {
    'manifest.json': JSON.stringify(manifest),
    'page.html': pageWith('/app.js'),
    'shop.js': readShop(appFolder),
    'app.js': appOf('/vendor/index.js', '/shop.js'),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return Promise.resolve(unserved(pathToFileURL(path.join(folder, 'page.html')).href))
}

async function siteOf(folder: string, options: Omit<SiteOptions, 'folders'> = {}): Promise<Site> {
  const site = await serveSite({ folders: { '/': folder }, ...options })
  site.add('/shop-by-path.js', { body: appOf(`${PACKAGE}/index.js`, '/src/shop.js') })
  site.add('/shop-by-global.js', {
    body: `import { openShop } from '/src/shop.js'\nvoid openShop(Offstage)`,
  })
  site.add('/shop-classic.js', { body: classicShop(folder) })
  return site
}

function appOf(packageUrl: string, shopUrl: string): string {
  return `import { createAgent, defineTool } from '${packageUrl}'
import { openShop } from '${shopUrl}'
void openShop({ createAgent, defineTool })`
}

function classic(root = ''): readonly string[] {
  return [
    GLOBAL_SCRIPT.replace('src="', `src="${root}`),
    `<script src="${root}/shop-classic.js"></script>`,
  ]
}

function classicShop(folder: string): string {
  return `${readShop(folder).replace('export async', 'async')}\nvoid openShop(Offstage)`
}

function readShop(folder: string): string {
  return readFileSync(path.join(folder, 'src/shop.js'), 'utf8')
}

function served(site: Site): ServedApp {
  return { url: `${site.url}/`, output: () => '', close: site.close }
}

function unserved(url: string): ServedApp {
  return { url, output: () => '', close: () => Promise.resolve() }
}
