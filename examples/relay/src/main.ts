import { OffstageChat } from 'offstage/chat'
import { createTaskAgent, suggestions } from './agent'
import { addTask, onTasksChange, readTasks, setTaskDone, type Task } from './tasks'

const chat = findElement('chat', OffstageChat)
chat.suggestions = suggestions

const narrow = matchMedia('(width < 52rem)')
narrow.addEventListener('change', placeChat)
placeChat()

const form = findElement('add', HTMLFormElement)
const titleField = findElement('title', HTMLInputElement)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const title = titleField.value.trim()
  if (title !== '') addTask(title)
  form.reset()
})

const list = findElement('tasks', HTMLUListElement)
const summary = findElement('summary', HTMLElement)
const empty = findElement('empty', HTMLElement)
onTasksChange(showTasks)
showTasks()
void connect()

interface Session {
  readonly model: string
  readonly isMock: boolean
}

async function connect(): Promise<void> {
  const note = findElement('note', HTMLElement)
  const session = await openSession().catch(() => null)
  if (!session) {
    note.textContent = 'The server can’t be reached. Start it, then reload.'
    return
  }
  chat.agent = createTaskAgent(session.model)
  note.textContent = session.isMock
    ? 'The server has no key, so a script plays the model.'
    : `${session.model}, through the relay. The key stays on the server.`
}

/** Gets the cookie that the relay asks for, and what the server offers. */
async function openSession(): Promise<Session> {
  const response = await fetch('/api/session', { method: 'POST' })
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return (await response.json()) as Session
}

function placeChat(): void {
  chat.placement = narrow.matches ? 'bubble' : 'panel'
}

function showTasks(): void {
  const tasks = readTasks()
  const focusedId = document.activeElement?.id
  list.replaceChildren(...tasks.map(createRow))
  if (focusedId) document.getElementById(focusedId)?.focus()
  const done = tasks.filter((task) => task.done).length
  summary.textContent = tasks.length === 0 ? '' : `${done} of ${tasks.length} done`
  empty.hidden = tasks.length > 0
}

function createRow({ id, title, done }: Task): HTMLElement {
  const checkbox = document.createElement('input')
  checkbox.type = 'checkbox'
  checkbox.id = id
  checkbox.checked = done
  checkbox.addEventListener('change', () => setTaskDone(id, checkbox.checked))
  const label = document.createElement('label')
  label.append(checkbox, Object.assign(document.createElement('span'), { textContent: title }))
  const row = document.createElement('li')
  row.append(label)
  return row
}

function findElement<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`The page has no ${type.name} with id ${id}.`)
  return element
}
