import { LexicalComposer } from '@lexical/react/LexicalComposer'
import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { ContentEditable } from '@lexical/react/LexicalContentEditable'
import { LexicalErrorBoundary } from '@lexical/react/LexicalErrorBoundary'
import { HistoryPlugin } from '@lexical/react/LexicalHistoryPlugin'
import { OnChangePlugin } from '@lexical/react/LexicalOnChangePlugin'
import { RichTextPlugin } from '@lexical/react/LexicalRichTextPlugin'
import { $getRoot, FORMAT_TEXT_COMMAND, UNDO_COMMAND } from 'lexical'
import { createRoot } from 'react-dom/client'

const shared = { lines: [], bold: '' }
window.state = () => ({ ...shared })

function look(editorState) {
  editorState.read(() => {
    shared.lines = $getRoot()
      .getChildren()
      .map((node) => `${node.getType()}: ${node.getTextContent()}`)
    shared.bold = $getRoot()
      .getAllTextNodes()
      .filter((node) => node.hasFormat('bold'))
      .map((node) => node.getTextContent())
      .join('|')
  })
}

function Toolbar() {
  const [editor] = useLexicalComposerContext()
  return (
    <div role="toolbar" aria-label="Format">
      <button onClick={() => editor.dispatchCommand(FORMAT_TEXT_COMMAND, 'bold')}>Bold</button>
      <button onClick={() => editor.dispatchCommand(UNDO_COMMAND, undefined)}>Undo</button>
    </div>
  )
}

function App() {
  return (
    <LexicalComposer
      initialConfig={{
        namespace: 'notes',
        onError: (error) => console.error(error),
      }}
    >
      <Toolbar />
      <RichTextPlugin
        contentEditable={<ContentEditable aria-label="Notes" />}
        placeholder={<div>Write something…</div>}
        ErrorBoundary={LexicalErrorBoundary}
      />
      <HistoryPlugin />
      <OnChangePlugin onChange={look} />
    </LexicalComposer>
  )
}

createRoot(document.querySelector('#app')).render(<App />)
