import { DndContext, useDraggable, useDroppable } from '@dnd-kit/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { EditorContent, useEditor } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'

const shared = { html: '', dropped: '', row: -1 }
window.state = () => ({ ...shared })

function Editor() {
  const editor = useEditor({
    extensions: [StarterKit],
    content: '<p>Hello</p>',
    onUpdate: (event) => (shared.html = event.editor.getHTML()),
  })
  return (
    <section aria-label="Editor">
      <button onClick={() => editor.chain().focus().toggleBold().run()}>Bold</button>
      <EditorContent editor={editor} aria-label="Text" />
    </section>
  )
}

function Card() {
  const { attributes, listeners, setNodeRef, transform } = useDraggable({ id: 'card' })
  const style = {
    width: 80,
    background: '#ddd',
    transform: transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined,
  }
  return (
    <div ref={setNodeRef} style={style} {...listeners} {...attributes}>
      Card
    </div>
  )
}

function Slot() {
  const { setNodeRef } = useDroppable({ id: 'slot' })
  return (
    <div
      ref={setNodeRef}
      role="group"
      aria-label="Slot"
      style={{ width: 200, height: 80, marginTop: 60, background: '#efe' }}
    >
      Slot
    </div>
  )
}

function Rows() {
  const box = useRef(null)
  const rows = useVirtualizer({
    count: 10000,
    getScrollElement: () => box.current,
    estimateSize: () => 30,
  })
  return (
    <div ref={box} role="list" aria-label="Rows" style={{ height: 200, overflow: 'auto' }}>
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
          <div key={key} role="listitem" style={{ position: 'absolute', top: start, height: 30 }}>
            <button onClick={() => (shared.row = index)}>Row {index}</button>
          </div>
        ))}
      </div>
    </div>
  )
}

function App() {
  const [, redraw] = useState(0)
  return (
    <main>
      <Editor />
      <DndContext
        onDragEnd={({ over }) => {
          shared.dropped = over?.id ?? ''
          redraw((count) => count + 1)
        }}
      >
        <Card />
        <Slot />
      </DndContext>
      <Rows />
    </main>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
