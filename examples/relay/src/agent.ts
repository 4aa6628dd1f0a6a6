import { createAgent, defineTool, type Agent } from 'offstage'
import { addTask, clearTasks, completeTask, readTasks } from './tasks'

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

/** Creates the agent. The model is one that the relay allows; the key is on the server. */
export function createTaskAgent(model: string): Agent {
  return createAgent({
    // For a vendor with another API, change `provider` here and UPSTREAM_URL in the server's .env.
    model: { provider: 'openai', model, baseURL: '/ai/v1', credentials: 'same-origin' },
    tools,
    instructions: 'You help a person with a list of tasks. Read the list before you change it.',
  })
}
