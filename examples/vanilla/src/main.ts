import { OffstageChat } from 'offstage/chat'
import { createTaskAgent, suggestions } from './agent'
import { addTask, onTasksChange, readTasks, setTaskDone, type Task } from './tasks'

const chat = findElement('chat', OffstageChat)
chat.agent = createTaskAgent()
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
