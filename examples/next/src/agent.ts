import { createAgent, defineTool, type Agent, type ModelConfig, type Script } from 'offstage'
import { addTask, clearTasks, completeTask, readTasks } from './tasks'

const script: Script = {
  paceMs: 20,
  scenes: [
    {
      match: ['add'],
      steps: [
        { toolCalls: [{ toolName: 'add_task', input: { title: 'Buy milk' } }] },
        { text: 'I called `add_task` with “Buy milk”. This answer is scripted.' },
      ],
    },
    {
      match: ['done', 'complete'],
      steps: [
        { toolCalls: [{ toolName: 'complete_task', input: { title: 'Buy milk' } }] },
        { text: 'I called `complete_task` with “Buy milk”. This answer is scripted.' },
      ],
    },
    {
      match: ['clear'],
      steps: [
        { toolCalls: [{ toolName: 'clear_tasks', input: {} }] },
        { text: 'You decided about `clear_tasks`. This answer is scripted.' },
      ],
    },
    {
      match: ['list'],
      steps: [
        { toolCalls: [{ toolName: 'list_tasks', input: {} }] },
        { text: 'I called `list_tasks`; its result is above. This answer is scripted.' },
      ],
    },
  ],
  fallback: [
    {
      text: 'I am a script, not a model. Write “add”, “done”, “list” or “clear”, and I call a tool of this page. To connect a model, change `model` in `src/agent.ts`.',
    },
  ],
}

// Connect a model here: replace this line by one of those below.
const model: ModelConfig = { provider: 'scripted', model: 'script', script }
// const model: ModelConfig = { provider: 'ollama', model: 'qwen3:4b' }
// Hosted: see examples/relay, which keeps the key on a server.
// const model: ModelConfig = { provider: 'openai', model: 'gpt-4.1-mini', baseURL: '/ai/v1', credentials: 'same-origin' }

const inputSchema = {
  type: 'object',
  properties: { title: { type: 'string', title: 'Task', minLength: 1 } },
  required: ['title'],
} as const

const tools = [
  defineTool({
    name: 'add_task',
    title: 'Add a task',
    description: 'Adds a task to the list.',
    inputSchema,
    annotations: { idempotent: true },
    execute: ({ title }, { idempotencyKey }) => {
      addTask(title, idempotencyKey)
      return `“${title}” is on the list.`
    },
  }),
  defineTool({
    name: 'list_tasks',
    title: 'Read the list',
    description: 'Returns all tasks, each with its title and whether it is done.',
    annotations: { readOnly: true },
    execute: () => readTasks().map(({ title, done }) => ({ title, done })),
  }),
  defineTool({
    name: 'complete_task',
    title: 'Complete a task',
    description: 'Marks the task with this title as done.',
    inputSchema,
    annotations: { idempotent: true },
    execute: ({ title }) => {
      if (completeTask(title) === 0) throw new Error(`No task is called “${title}”.`)
      return `“${title}” is done.`
    },
  }),
  defineTool({
    name: 'clear_tasks',
    title: 'Clear the list',
    description: 'Removes all tasks. This cannot be undone.',
    annotations: { destructive: true }, // the chat asks the person first
    execute: () => {
      clearTasks()
      return 'The list is empty.'
    },
  }),
]

export const suggestions = ['Add a task', 'Clear the list']

export function createTaskAgent(): Agent {
  return createAgent({
    model,
    tools,
    instructions: 'You help a person with a list of tasks. Read the list before you change it.',
  })
}
