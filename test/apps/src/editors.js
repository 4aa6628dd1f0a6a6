import 'quill/dist/quill.snow.css'
import { basicSetup, EditorView } from 'codemirror'
import Quill from 'quill'

document.querySelector('#app').innerHTML = '<div id="quill"></div><div id="code"></div>'
const quill = new Quill('#quill', { theme: 'snow', placeholder: 'Write here' })
quill.root.setAttribute('aria-label', 'Letter')
const view = new EditorView({
  doc: 'let a = 1',
  extensions: [basicSetup, EditorView.contentAttributes.of({ 'aria-label': 'Code' })],
  parent: document.querySelector('#code'),
})
window.state = () => ({
  letter: quill.root.innerHTML,
  text: quill.getText(),
  code: view.state.doc.toString(),
})
