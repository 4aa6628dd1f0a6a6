import type { ProjectSetup } from './project-setup.ts'

/** Text of the project's `src/main.ts`. */
export function mainFile({ app, model }: ProjectSetup, isScripted: boolean): string {
  const create = app === 'shop' ? 'createShopApp' : 'createLedgerApp'
  const { provider, baseURL, model: name, hadKey } = model
  const config = JSON.stringify({ provider, model: name, ...(baseURL && { baseURL }) }, null, 2)
  const connected = `${
    hadKey ? '// Add `apiKey`, or a relay that keeps the key on your server.\n' : ''
  }const model: ModelConfig = ${config}\n`
  return `import 'offstage/chat'
import type { ModelConfig } from 'offstage'
import { createDemoAgent } from './agent/demo-agent.ts'
import { suggestionsOf${isScripted ? ', scriptOf' : ''} } from './model/script.ts'
import { ${create} } from './${app}/${app}-app.ts'

const app = ${create}()
${isScripted ? scripted : connected}
const agent = createDemoAgent(app, { model })
const chat = document.querySelector('offstage-chat')
if (!chat) throw new Error('index.html has no chat.')
chat.heading = app.heading
chat.suggestions = suggestionsOf(app.scenes)
chat.words = { greeting: app.greeting }
app.connect(agent, chat)
chat.agent = agent
`
}

const scripted = `// A script plays the model. To connect one, replace this by the line below.
const model: ModelConfig = { provider: 'scripted', model: 'script', script: scriptOf(app.scenes) }
// const model: ModelConfig = { provider: 'ollama', model: 'qwen3:4b' }
`
