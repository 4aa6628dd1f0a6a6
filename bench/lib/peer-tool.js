/** The one tool of every library, as Chat Completions describes it. */
export const TOOL = {
  name: 'write',
  description: 'Writes a text.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
}
