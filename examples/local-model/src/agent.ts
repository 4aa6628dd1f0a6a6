import { createAgent, defineTool, type Agent, type ModelConfig } from 'offstage'
import { promptApi } from 'offstage/prompt-api'
import { deleteNotes, readNotes, saveNote } from './notes'

/** Plays the model where none was found. */
export const scriptedModel: ModelConfig = {
  provider: 'scripted',
  model: 'script',
  script: {
    paceMs: 20,
    scenes: [
      {
        match: ['save'],
        steps: [
          { toolCalls: [{ toolName: 'save_note', input: { text: 'Connect a model' } }] },
          { text: 'I called `save_note`. This answer is scripted.' },
        ],
      },
      {
        match: ['delete'],
        steps: [
          { toolCalls: [{ toolName: 'delete_notes', input: {} }] },
          { text: 'You decided about `delete_notes`. This answer is scripted.' },
        ],
      },
      {
        match: ['time'],
        steps: [
          { toolCalls: [{ toolName: 'read_clock', input: {} }] },
          { text: 'I called `read_clock`; its result is above. This answer is scripted.' },
        ],
      },
    ],
    fallback: [
      {
        text: 'I am a script, not a model. Write “save”, “time” or “delete”, and I call a tool of this page. To connect a model, start a server and choose it under “Model”.',
      },
    ],
  },
}

const tools = [
  defineTool({
    name: 'read_clock',
    title: 'Read the clock',
    description: 'Returns the current date and time.',
    annotations: { readOnly: true },
    execute: () => new Date().toString(),
  }),
  defineTool({
    name: 'read_notes',
    title: 'Read the notes',
    description: 'Returns the texts of all saved notes.',
    annotations: { readOnly: true },
    execute: () => readNotes().map(({ text }) => text),
  }),
  defineTool({
    name: 'save_note',
    title: 'Save a note',
    description: 'Saves a short note on the page.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', title: 'Note', minLength: 1 } },
      required: ['text'],
    },
    annotations: { idempotent: true },
    execute: ({ text }, { idempotencyKey }) => {
      saveNote(text, idempotencyKey)
      return 'The note is saved.'
    },
  }),
  defineTool({
    name: 'delete_notes',
    title: 'Delete all notes',
    description: 'Deletes all notes. This cannot be undone.',
    annotations: { destructive: true }, // the chat asks the person first
    execute: () => {
      deleteNotes()
      return 'The notes are deleted.'
    },
  }),
]

export function createLocalAgent(model: ModelConfig): Agent {
  return createAgent({
    model,
    tools,
    engines: [promptApi()], // the browser's own model
    instructions: 'You are an assistant on a page with notes. Answer briefly.',
  })
}
