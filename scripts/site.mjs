// npm run site [-- --dev] [--base /path/] [--origin https://example.org]: builds the site into site/dist, or serves it
// with --dev. --base is the path at which it will be, --origin the server, for the addresses in llms.txt.
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fail, prepareBuild } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { npm, run } from './lib/run.mjs'

const folder = inProject('site')
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    origin: { type: 'string', default: '' },
    dev: { type: 'boolean', default: false },
  },
})
const path = values.base.replaceAll(/^\/+|\/+$/g, '')
const base = path ? `/${path}/` : '/'

// With types: the API reference is made of them.
await prepareBuild()
await installSite()

// Only now: on a fresh clone these need what has just been installed.
const { generate, publishMarkdown } = await import('../site/lib/generate.mjs')
const { buildDemo } = await import('../site/lib/demo.mjs')
const pages = generate(`${values.origin}${base}`)
await buildDemo(base)
const vitepress = inProject('site/node_modules/vitepress/bin/vitepress.js')
if (values.dev) {
  await runOrFail([vitepress, 'dev', '--base', base, '--host', '127.0.0.1'], { cwd: folder })
} else {
  await runOrFail([vitepress, 'build', '--base', base], { cwd: folder })
  publishMarkdown(pages, inProject('site/dist'))
  console.log(`Built site/dist for ${values.origin}${base}`)
}

async function installSite() {
  if (existsSync(inProject('site/node_modules/vitepress'))) return
  console.log("Installing the site's dependencies into site/node_modules (npm ci) …")
  const { code } = await npm(['ci', '--no-audit', '--no-fund'], { cwd: folder })
  if (code !== 0) fail('npm ci failed in site/; its message is above.')
}

async function runOrFail(args, options) {
  const { code } = await run(process.execPath, args, options)
  if (code !== 0) process.exit(code)
}
