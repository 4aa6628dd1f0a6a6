import type { ProjectSetup } from './project-setup.ts'

/** Text of the project's `src/main.ts`. */
export function mainFile(
  { app, model, callMode, edits }: ProjectSetup,
  isScripted: boolean,
): string {
  const createName = app === 'shop' ? 'createShopApp' : 'createLedgerApp'
  const { provider, baseURL, model: name, hadKey } = model
  const toolMode = callMode === 'auto' ? {} : { toolMode: callMode }
  const config = toCode({ provider, model: name, ...(baseURL && { baseURL }), ...toolMode })
  const modelCode = `${
    hadKey ? '// Add `apiKey`, or a relay that keeps the key on your server.\n' : ''
  }const model: ModelConfig = ${config}\n`
  const isEdited = Object.keys(edits).length > 0
  return `import 'offstage/chat'
import type { ModelConfig } from 'offstage'
import { createDemoAgent } from './agent/demo-agent.ts'
import { suggestionsOf${isScripted ? ', scriptOf' : ''} } from './model/script.ts'
import { ${createName} } from './${app}/${app}-app.ts'
${isEdited ? `import { editTools${isScripted ? ', ownScenes' : ''}, type ToolEdits } from './tools/edit-tools.ts'\n` : ''}
const app = ${createName}()
${isEdited ? `const edits: ToolEdits = ${toCode(edits)}\n` : ''}${isScripted ? scriptedModelCode(isEdited, toolMode) : modelCode}
const agent = createDemoAgent(app, { model${isEdited ? ', tools: editTools(app.tools, edits)' : ''} })
const chat = document.querySelector('offstage-chat')
if (!chat) throw new Error('index.html has no chat.')
chat.heading = app.heading
chat.suggestions = suggestionsOf(app.scenes)
chat.words = { greeting: app.greeting }
app.connect(agent, chat)
chat.agent = agent
`
}

function scriptedModelCode(isEdited: boolean, toolMode: object): string {
  const scenes = isEdited ? '[...ownScenes(edits), ...app.scenes]' : 'app.scenes'
  const config = JSON.stringify({ provider: 'scripted', model: 'script', ...toolMode }).slice(1, -1)
  return `// A script plays the model. To connect one, replace this by the line below.
const model: ModelConfig = { ${config}, script: scriptOf(${scenes}) }
// const model: ModelConfig = { provider: 'ollama', model: 'qwen3:4b' }
`
}

function toCode(value: object): string {
  return JSON.stringify(value, null, 2)
}
