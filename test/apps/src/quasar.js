import 'quasar/dist/quasar.css'
import * as quasar from 'quasar'
import { createApp, reactive } from 'vue/dist/vue.esm-bundler.js'

const state = reactive({
  text: '',
  fruit: null,
  many: [],
  on: false,
  agreed: false,
  size: null,
  volume: 10,
  tab: 'one',
  open: false,
  confirmed: false,
  picked: '',
  folder: null,
})
window.state = () => JSON.parse(JSON.stringify(state))
const { Quasar, ClosePopup, ...all } = quasar
const components = Object.fromEntries(Object.entries(all).filter(([name]) => /^Q[A-Z]/.test(name)))

createApp({
  setup: () => ({
    state,
    nodes: [{ label: 'Documents', children: [{ label: 'Letters' }, { label: 'Invoices' }] }],
  }),
  template: `
    <q-input v-model="state.text" label="Name" />
    <q-select v-model="state.fruit" label="Fruit" :options="['Apple', 'Banana', 'Cherry']" />
    <q-select v-model="state.many" label="Colours" multiple use-chips :options="['Red', 'Green', 'Blue']" />
    <q-toggle v-model="state.on" label="Wifi" /><q-checkbox v-model="state.agreed" label="Agree" />
    <q-option-group v-model="state.size" :options="[{ label: 'Small', value: 's' }, { label: 'Large', value: 'l' }]" />
    <q-slider v-model="state.volume" :min="0" :max="100" aria-label="Volume" />
    <q-tabs v-model="state.tab"><q-tab name="one" label="One" /><q-tab name="two" label="Two" /></q-tabs>
    <q-tree :nodes="nodes" node-key="label" v-model:selected="state.folder" />
    <q-btn-dropdown label="Menu"><q-list><q-item clickable v-close-popup @click="state.picked = 'cut'"><q-item-section>Cut</q-item-section></q-item><q-item clickable v-close-popup @click="state.picked = 'copy'"><q-item-section>Copy</q-item-section></q-item></q-list></q-btn-dropdown>
    <q-btn label="Open dialog" @click="state.open = true" />
    <q-dialog v-model="state.open"><q-card><q-card-section>Sure?</q-card-section><q-btn label="Yes, do it" @click="state.confirmed = true; state.open = false" /></q-card></q-dialog>`,
})
  .use(Quasar, { components, directives: { ClosePopup } })
  .mount('#app')
