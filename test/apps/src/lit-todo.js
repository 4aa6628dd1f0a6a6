import { html, LitElement } from 'lit'

class LitTodo extends LitElement {
  static properties = { items: { state: true }, draft: { state: true } }

  constructor() {
    super()
    this.items = [{ id: 1, text: 'Buy milk', done: false }]
    this.draft = ''
    window.state = () => ({ items: this.items, draft: this.draft })
  }

  change(id, patch) {
    this.items = this.items.map((item) => (item.id === id ? { ...item, ...patch } : item))
  }

  add() {
    this.items = [...this.items, { id: Date.now(), text: this.draft, done: false }]
    this.draft = ''
  }

  render() {
    return html`<input
        aria-label="New"
        .value=${this.draft}
        @input=${(event) => (this.draft = event.target.value)}
      />
      <button ?disabled=${!this.draft} @click=${() => this.add()}>Add</button>
      <ul>
        ${this.items.map(
          (item) =>
            html`<li>
              <label
                ><input
                  type="checkbox"
                  .checked=${item.done}
                  @change=${(event) => this.change(item.id, { done: event.target.checked })}
                />
                ${item.text}</label
              >
              <button @click=${() => (this.items = this.items.filter(({ id }) => id !== item.id))}>
                Delete ${item.text}
              </button>
            </li>`,
        )}
      </ul>`
  }
}

customElements.define('lit-todo', LitTodo)
document.querySelector('#app').append(document.createElement('lit-todo'))
