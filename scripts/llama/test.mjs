// npm run test:llama: the providers against llama.cpp's own server, which is built once and kept.
import { installDependencies, requireNode } from '../lib/install.mjs'
import { bin } from '../lib/run.mjs'
import { ensureLlamaServer } from './build-server.mjs'

requireNode()
await installDependencies()
const { server, templates } = await ensureLlamaServer()
const env = {
  ...process.env,
  OFFSTAGE_LLAMA_SERVER: server,
  OFFSTAGE_LLAMA_TEMPLATES: templates,
}
const args = ['run', '--config', 'test/llama/vitest.config.ts', ...process.argv.slice(2)]
const { code } = await bin('vitest', args, { env })
process.exit(code)
