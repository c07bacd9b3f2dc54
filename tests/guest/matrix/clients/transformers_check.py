"""A GPT-2 with random weights says greedy words: the same each time."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(1)
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=256, n_head=4, vocab_size=1000, bos_token_id=0, eos_token_id=0))
model = model.cuda().eval()
words = model.generate(torch.tensor([[5, 6, 7]], device="cuda"), max_new_tokens=100, do_sample=False, pad_token_id=0)
print(words.tolist())
