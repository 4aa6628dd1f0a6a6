import type { ToolDescriptor } from '../../protocol/tool.ts'

/** Tools that steer the run itself. The worker executes them without the page. */
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

const properties = {
  question: { type: 'string' },
  options: {
    type: 'array',
    items: { type: 'string' },
    description: 'Answers to choose from.',
  },
}

const descriptors: { readonly [Name in ControlTool]: ToolDescriptor } = {
  ask_user: {
    ...control,
    name: 'ask_user',
    title: 'Ask a question',
    control: 'ask-user',
    description: 'Ask the person a question and wait for the answer.',
    inputSchema: { type: 'object', properties, required: ['question'] },
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

/**
 * Example of `fields`. Weak models need an example, and some servers refuse a JSON Schema that describes JSON Schema.
 */
const FORM_EXAMPLE = {
  properties: {
    email: { type: 'string', title: 'E-mail', format: 'email' },
    seats: { type: 'integer', minimum: 1 },
    menu: { type: 'string', enum: ['fish', 'vegan'] },
  },
  required: ['email'],
}

const fields = {
  type: 'object',
  description: `Instead of options: a form for several values at once. JSON Schema of a flat object, written as JSON, for example ${JSON.stringify({ type: 'object', ...FORM_EXAMPLE })}. Types: string (minLength, maxLength, format email, uri, date or date-time; or enum), number, integer (minimum, maximum), boolean, and array with items {"type":"string","enum":[…]} for several of a list. Each may have title, description and default. Nothing nested, no pattern.`,
}

/** `ask_user` with a form. */
const askUserWithFields: ToolDescriptor = {
  ...descriptors.ask_user,
  description: `${descriptors.ask_user.description} Never ask for passwords, card numbers, keys or other secrets.`,
  inputSchema: {
    ...descriptors.ask_user.inputSchema,
    properties: { ...properties, fields },
  },
}

/** `withFields`: `ask_user` may request a form. */
export function controlDescriptors(
  names: readonly ControlTool[],
  withFields: boolean = false,
): ToolDescriptor[] {
  return names.map((name) =>
    withFields && name === 'ask_user' ? askUserWithFields : descriptors[name],
  )
}
