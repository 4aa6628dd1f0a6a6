import { OffstageChat } from 'offstage/chat'
import { createLocalAgent, scriptedModel } from './agent'
import { findElement } from './find-element'
import { startModelPicker } from './model-picker'
import { onNotesChange, readNotes } from './notes'
import { readStoredModel } from './stored-model'

const agent = createLocalAgent(readStoredModel() ?? scriptedModel)
const chat = findElement('chat', OffstageChat)
chat.agent = agent
chat.suggestions = ['What time is it?', 'Save a note', 'Delete all notes']

const narrow = matchMedia('(width < 56rem)')
narrow.addEventListener('change', placeChat)
placeChat()

startModelPicker((model) => {
  agent.configure({ model })
  return agent.prepare()
})

const { origin } = location
findElement('serve', HTMLElement).textContent =
  `OLLAMA_ORIGINS=${origin} OLLAMA_CONTEXT_LENGTH=16384 ollama serve`
findElement('serve-windows', HTMLElement).textContent =
  `$env:OLLAMA_ORIGINS='${origin}'; $env:OLLAMA_CONTEXT_LENGTH='16384'; ollama serve`

const noteList = findElement('notes', HTMLUListElement)
onNotesChange(showNotes)
showNotes()

function placeChat(): void {
  chat.placement = narrow.matches ? 'bubble' : 'panel'
}

function showNotes(): void {
  const rows = readNotes().map(({ text }) => {
    const row = document.createElement('li')
    row.textContent = text
    return row
  })
  noteList.replaceChildren(...rows)
}
