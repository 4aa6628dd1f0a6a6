export interface Task {
  readonly id: string
  readonly title: string
  readonly done: boolean
}

const KEY = 'offstage-example-tasks'
const listeners = new Set<() => void>()

let storedText = ''
let tasks: readonly Task[] = []

/** Returns the stored list. The array stays the same object until the list changes. */
export function readTasks(): readonly Task[] {
  const text = localStorage.getItem(KEY) ?? '[]'
  if (text !== storedText) {
    storedText = text
    tasks = parseTasks(text)
  }
  return tasks
}

/** Adds a task. An id that is already on the list changes nothing, so a repeated call adds one task. */
export function addTask(title: string, id: string = crypto.randomUUID()): void {
  const current = readTasks()
  if (current.some((task) => task.id === id)) return
  writeTasks([...current, { id, title: title.trim(), done: false }])
}

/** Marks all tasks with this title as done, in any letter case. Returns their number. */
export function completeTask(title: string): number {
  const isMatch = (task: Task): boolean => normalize(task.title) === normalize(title)
  const current = readTasks()
  writeTasks(current.map((task) => (isMatch(task) ? { ...task, done: true } : task)))
  return current.filter(isMatch).length
}

export function setTaskDone(id: string, done: boolean): void {
  writeTasks(readTasks().map((task) => (task.id === id ? { ...task, done } : task)))
}

export function clearTasks(): void {
  writeTasks([])
}

/** Calls the listener after each change, in this tab or another. Returns a function that ends this. */
export function onTasksChange(listener: () => void): () => void {
  const onStorage = (): void => listener()
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', onStorage)
  }
}

function writeTasks(next: readonly Task[]): void {
  localStorage.setItem(KEY, JSON.stringify(next))
  for (const listener of listeners) listener()
}

function parseTasks(text: string): readonly Task[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isTask) : []
  } catch {
    return []
  }
}

function isTask(value: unknown): value is Task {
  if (typeof value !== 'object' || value === null) return false
  const { id, title, done } = value as Partial<Task>
  return typeof id === 'string' && typeof title === 'string' && typeof done === 'boolean'
}

function normalize(title: string): string {
  return title.trim().toLowerCase()
}
