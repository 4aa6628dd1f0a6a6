// Copies AI Elements' components into src/components. They are source code, not a package, so this needs the network.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const NAMES = ['conversation', 'message', 'prompt-input', 'tool', 'confirmation']
const isMissing = (name) => !existsSync(`src/components/ai-elements/${name}.tsx`)

if (NAMES.some(isMissing)) {
  const addresses = NAMES.map((name) => `https://elements.ai-sdk.dev/api/registry/${name}.json`)
  // The same as `npx ai-elements add`, with a fixed version of the tool that it runs.
  const parameters = ['--yes', 'shadcn@4.23.1', 'add', '--yes', ...addresses]
  spawnSync('npx', parameters, { stdio: 'inherit', shell: process.platform === 'win32' })
  const missing = NAMES.filter(isMissing)
  if (missing.length > 0) {
    console.error(`Missing components of AI Elements: ${missing.join(', ')}.`)
    console.error('They are downloaded from elements.ai-sdk.dev and ui.shadcn.com.')
    process.exit(1)
  }
}
