import { useSyncExternalStore } from 'react'
import { addTask, onTasksChange, readTasks, setTaskDone, type Task } from './tasks'

export function TaskPage() {
  const tasks = useSyncExternalStore(onTasksChange, readTasks)
  const done = tasks.filter((task) => task.done).length
  return (
    <main className="page">
      <header className="head">
        <h1>Tasks</h1>
        <p className="summary" role="status">
          {tasks.length > 0 && `${done} of ${tasks.length} done`}
        </p>
      </header>
      <form className="add" action={addFromForm}>
        <input
          name="title"
          aria-label="New task"
          placeholder="What is to be done?"
          autoComplete="off"
          required
        />
        <button>Add</button>
      </form>
      {tasks.length > 0 ? (
        <ul className="tasks">
          {tasks.map((task) => (
            <TaskRow key={task.id} {...task} />
          ))}
        </ul>
      ) : (
        <p className="empty">Nothing to do. Add a task, or ask the assistant.</p>
      )}
    </main>
  )
}

function TaskRow({ id, title, done }: Task) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={done} onChange={() => setTaskDone(id, !done)} />
        <span>{title}</span>
      </label>
    </li>
  )
}

function addFromForm(form: FormData): void {
  const title = String(form.get('title')).trim()
  if (title !== '') addTask(title)
}
