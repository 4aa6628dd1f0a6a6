// npm start: installs what is missing, builds what the demo needs, and serves it.
import { existsSync } from 'node:fs'
import { fail, prepareBuild } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'

await prepareBuild('--demo')
if (!existsSync(inProject('demo/index.html'))) fail('demo/index.html is missing.')

// Only now: on a fresh clone Vite has just been installed.
const { createServer } = await import('vite')
const server = await createServer({ configFile: inProject('vite.demo.config.ts') })
await server.listen()
console.log(`\nThe demo is at ${server.resolvedUrls?.local[0]} (Ctrl+C stops it).`)
