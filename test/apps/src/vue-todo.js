import { createApp, reactive } from 'vue/dist/vue.esm-bundler.js'

const state = reactive({
  items: [{ id: 1, text: 'Buy milk', done: false }],
  draft: '',
  size: 'm',
  big: false,
})
window.state = () => JSON.parse(JSON.stringify(state))

createApp({
  setup: () => ({
    state,
    add() {
      state.items.push({ id: Date.now(), text: state.draft, done: false })
      state.draft = ''
    },
    remove(id) {
      state.items = state.items.filter((item) => item.id !== id)
    },
  }),
  template: `<main>
    <input aria-label="New" v-model.trim="state.draft" @keyup.enter="add">
    <ul><li v-for="item in state.items" :key="item.id">
      <label><input type="checkbox" v-model="item.done"> {{ item.text }}</label>
      <button @click="remove(item.id)">Delete {{ item.text }}</button></li></ul>
    <label><input type="radio" v-model="state.size" value="s"> Small</label>
    <label><input type="radio" v-model="state.size" value="l"> Large</label>
    <select aria-label="Size" v-model="state.size"><option value="s">S</option><option value="m">M</option><option value="l">L</option></select>
    <Transition><p v-if="state.big">Big</p></Transition><button @click="state.big = !state.big">Toggle</button>
  </main>`,
}).mount('#app')
