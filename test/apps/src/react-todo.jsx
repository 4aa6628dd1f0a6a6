import { useState } from 'react'
import { createRoot } from 'react-dom/client'

function Todo() {
  const [items, setItems] = useState([{ id: 1, text: 'Buy milk', done: false }])
  const [draft, setDraft] = useState('')
  const [filter, setFilter] = useState('all')
  const [editing, setEditing] = useState(0)
  const [asked, setAsked] = useState(0)
  const shown = items.filter(({ done }) => filter === 'all' || done === (filter === 'done'))
  window.state = () => ({ items, draft, filter })
  const change = (id, patch) =>
    setItems(items.map((item) => (item.id === id ? { ...item, ...patch } : item)))
  return (
    <main>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setItems([...items, { id: Date.now(), text: draft, done: false }])
          setDraft('')
        }}
      >
        <input
          placeholder="What needs to be done?"
          value={draft}
          onChange={(event) => setDraft(event.target.value.toUpperCase())}
        />
      </form>
      <select aria-label="Show" value={filter} onChange={(event) => setFilter(event.target.value)}>
        <option value="all">All</option>
        <option value="open">Open</option>
        <option value="done">Done</option>
      </select>
      <ul>
        {shown.map((item) => (
          <li key={item.id}>
            <input
              type="checkbox"
              aria-label={`Done: ${item.text}`}
              checked={item.done}
              onChange={(event) => change(item.id, { done: event.target.checked })}
            />
            {editing === item.id ? (
              <input
                aria-label="Edit"
                autoFocus
                defaultValue={item.text}
                onBlur={() => setEditing(0)}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') {
                    change(item.id, { text: event.target.value })
                    setEditing(0)
                  }
                }}
              />
            ) : (
              <span onDoubleClick={() => setEditing(item.id)}>{item.text}</span>
            )}
            <button onClick={() => setAsked(item.id)}>Delete {item.text}</button>
          </li>
        ))}
      </ul>
      {asked > 0 && (
        <div role="alertdialog" aria-modal="true" aria-label="Delete it?">
          <button
            onClick={() => {
              setItems(items.filter(({ id }) => id !== asked))
              setAsked(0)
            }}
          >
            Yes, delete
          </button>
          <button onClick={() => setAsked(0)}>Keep</button>
        </div>
      )}
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<Todo />)
