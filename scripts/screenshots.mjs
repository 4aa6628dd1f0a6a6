// npm run screenshots: pictures of the chat in each of its states, light, dark and on a phone, in .cache/screenshots. Arguments
// are Playwright's: `npm run screenshots -- -g 'state retrying'`. The scenes: test/browser/support/chat-scenes.ts.
import { prepareBuild } from './lib/install.mjs'
import { inProject } from './lib/project.mjs'
import { bin } from './lib/run.mjs'

await prepareBuild()
const OUT = inProject('.cache/screenshots')
const env = { ...process.env, OFFSTAGE_MORE: '1', OFFSTAGE_SCREENSHOTS: OUT }
const args = process.argv.length > 2 ? process.argv.slice(2) : ['-g', 'in the state']
const { code } = await bin('@playwright/test', ['test', 'chat-access-states', ...args], {
  command: 'playwright',
  env,
})
if (code === 0) console.log(`The pictures are in ${OUT}`)
process.exitCode = code
