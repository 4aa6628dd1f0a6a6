import type { ToolDescriptor } from '../protocol/tool.ts'

/** Tools that steer the run itself; the worker carries them out, the page is not asked. */
export type ControlTool = 'ask_user' | 'finish_task' | 'plan'

const control = {
  annotations: { readOnly: true },
  timeoutMs: 60_000,
  parallelSafe: false,
  sequential: true,
  needsApproval: false,
  hasReconcile: false,
  definition: 'control',
} as const

const descriptors: { readonly [Name in ControlTool]: ToolDescriptor } = {
  ask_user: {
    ...control,
    name: 'ask_user',
    title: 'Ask a question',
    control: 'ask-user',
    description: 'Ask the person a question and wait for the answer.',
    inputSchema: {
      type: 'object',
      properties: {
        question: { type: 'string' },
        options: {
          type: 'array',
          items: { type: 'string' },
          description: 'Answers to choose from.',
        },
      },
      required: ['question'],
    },
  },
  finish_task: {
    ...control,
    name: 'finish_task',
    title: 'Finish the task',
    control: 'finish-task',
    description: 'End the task. Call it once all is done, or when it can not be done.',
    inputSchema: {
      type: 'object',
      properties: { result: { type: 'string', description: 'What the person is told.' } },
      required: ['result'],
    },
  },
  plan: {
    ...control,
    name: 'plan',
    title: 'Plan',
    control: 'plan',
    description:
      'Write down your plan for a task of several steps, and keep it up to date. Each call replaces the whole list.',
    inputSchema: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              content: { type: 'string' },
              status: { enum: ['pending', 'in-progress', 'done', 'dropped'] },
            },
            required: ['content', 'status'],
          },
        },
      },
      required: ['items'],
    },
  },
}

export function controlDescriptors(names: readonly ControlTool[]): ToolDescriptor[] {
  return names.map((name) => descriptors[name])
}
