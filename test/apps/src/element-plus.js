import ElementPlus from 'element-plus'
import 'element-plus/dist/index.css'
import { createApp, reactive } from 'vue/dist/vue.esm-bundler.js'

const state = reactive({
  text: '',
  city: '',
  many: [],
  date: '',
  amount: 1,
  on: false,
  agreed: false,
  size: '',
  volume: 10,
  tab: 'one',
  open: false,
  confirmed: false,
  keys: [],
  rows: [
    { id: 1, name: 'Ada' },
    { id: 2, name: 'Grace' },
  ],
  picked: '',
})
window.state = () => JSON.parse(JSON.stringify(state))

const cities = Array.from({ length: 60 }, (_, at) => `City ${at + 1}`)
const tree = [
  {
    id: 'a',
    label: 'Fruits',
    children: [
      { id: 'a1', label: 'Pear' },
      { id: 'a2', label: 'Plum' },
    ],
  },
]

createApp({
  setup: () => ({
    state,
    cities,
    tree,
    remove: (row) => (state.rows = state.rows.filter(({ id }) => id !== row.id)),
    confirm: () => {
      state.confirmed = true
      state.open = false
    },
  }),
  template: `
    <el-form label-width="120px">
      <el-form-item label="Text"><el-input v-model="state.text" /></el-form-item>
      <el-form-item label="City"><el-select v-model="state.city" filterable><el-option v-for="c in cities" :key="c" :label="c" :value="c" /></el-select></el-form-item>
      <el-form-item label="Many"><el-select v-model="state.many" multiple><el-option label="Red" value="red" /><el-option label="Green" value="green" /><el-option label="Blue" value="blue" /></el-select></el-form-item>
      <el-form-item label="Date"><el-date-picker v-model="state.date" type="date" value-format="YYYY-MM-DD" /></el-form-item>
      <el-form-item label="Amount"><el-input-number v-model="state.amount" :min="1" :max="9" /></el-form-item>
      <el-form-item label="Volume"><el-slider v-model="state.volume" aria-label="Volume" /></el-form-item>
    </el-form>
    <el-switch v-model="state.on" active-text="Wifi" aria-label="Wifi" />
    <el-checkbox v-model="state.agreed">Agree</el-checkbox>
    <el-radio-group v-model="state.size"><el-radio value="s">Small</el-radio><el-radio value="l">Large</el-radio></el-radio-group>
    <el-tabs v-model="state.tab"><el-tab-pane label="First" name="one">Panel one</el-tab-pane><el-tab-pane label="Second" name="two">Panel two</el-tab-pane></el-tabs>
    <el-tree :data="tree" node-key="id" show-checkbox @check="(_, { checkedKeys }) => (state.keys = checkedKeys)" />
    <el-table :data="state.rows"><el-table-column prop="name" label="Name" sortable />
      <el-table-column label="Actions"><template #default="{ row }"><el-popconfirm title="Delete this?" @confirm="remove(row)"><template #reference><el-button>Delete {{ row.name }}</el-button></template></el-popconfirm></template></el-table-column></el-table>
    <el-dropdown trigger="click" @command="(c) => (state.picked = c)"><el-button>More</el-button><template #dropdown><el-dropdown-menu><el-dropdown-item command="cut">Cut</el-dropdown-item><el-dropdown-item command="copy">Copy</el-dropdown-item></el-dropdown-menu></template></el-dropdown>
    <el-button @click="state.open = true">Open dialog</el-button>
    <el-dialog v-model="state.open" title="Sure?"><el-button @click="confirm">Yes, do it</el-button></el-dialog>`,
})
  .use(ElementPlus)
  .mount('#app')
