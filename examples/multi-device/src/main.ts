import type { Agent } from 'offstage'
import { OffstageChat } from 'offstage/chat'
import { createDeviceAgent, suggestions } from './agent'

const CONVERSATION = 'everywhere'

const intro = findElement('intro', HTMLElement)
const form = findElement('log-in', HTMLFormElement)
const nameField = findElement('name', HTMLInputElement)
const problem = findElement('problem', HTMLElement)
const chatContainer = findElement('chat', HTMLElement)
const logOutButton = findElement('log-out', HTMLButtonElement)

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void logIn(nameField.value.trim())
})
void start()

async function start(): Promise<void> {
  const response = await fetch('/api/session').catch(() => null)
  if (!response?.ok) {
    intro.textContent = 'The server can’t be reached. Start it, then reload.'
    return
  }
  const { user } = (await response.json()) as { readonly user: string | null }
  if (user === null) form.hidden = false
  else showChat(user)
}

async function logIn(name: string): Promise<void> {
  problem.textContent = ''
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  }).catch(() => null)
  if (response?.ok) showChat(name)
  else problem.textContent = response ? await response.text() : 'The server can’t be reached.'
}

function showChat(user: string): void {
  const agent = createDeviceAgent(user)
  const chat = new OffstageChat()
  // The id separates what two users of this tab write.
  chat.id = `chat-${user}`
  chat.heading = 'Device helper'
  chat.suggestions = suggestions
  chat.agent = agent
  chat.conversationId = CONVERSATION
  chatContainer.replaceChildren(chat)
  chatContainer.hidden = false
  form.hidden = true
  logOutButton.hidden = false
  intro.textContent = `Logged in as ${user}. Write “light” here, then approve in another browser.`
  logOutButton.addEventListener('click', () => void logOut(agent, chat))
}

async function logOut(agent: Agent, chat: OffstageChat): Promise<void> {
  logOutButton.disabled = true
  chat.remove()
  await agent.dispose()
  await fetch('/api/session', { method: 'DELETE' }).catch(() => null)
  await deleteCopies()
  sessionStorage.clear()
  location.reload()
}

/** Deletes what this browser kept for reading offline. The server keeps the conversations. */
async function deleteCopies(): Promise<void> {
  for (const { name } of await indexedDB.databases())
    if (name?.startsWith('offstage-copy:')) indexedDB.deleteDatabase(name)
}

function findElement<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`The page has no ${type.name} with id ${id}.`)
  return element
}
