#include "support.hpp"

#include <zlib.h>
#include <zstd.h>

namespace orrery::traces {

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string zstandard(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

const std::vector<FormatSample>& format_samples() {
  static const std::vector<FormatSample> samples{
      {"azure",
       "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
       "2023-11-16 18:15:46.6805900,374,44\r\n"
       "2023-11-16 18:15:50.9951690,396,109\r\n"
       "2023-11-16 23:59:59.9999999,879,55\r\n"
       "2023-11-17 00:00:00.0000000,91,16\r\n"
       "2023-11-17 00:00:00.0000000,91,16"},
      {"mooncake",
       "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, "
       "47, "
       "48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 2353, 2354]}\n"
       "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": [46, "
       "47, "
       "48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 2366]}\n"
       "{\"timestamp\": 30535, \"input_length\": 512, \"output_length\": 1, \"hash_ids\": [46]}\n"
       "{\"timestamp\": 30536, \"input_length\": 513, \"output_length\": 1, \"hash_ids\": [46, "
       "99]}\n"
       "{\"timestamp\": 30537, \"input_length\": 1, \"output_length\": 7, \"hash_ids\": [100]}\n"},
      {"llmservingsim",
       "{\"arrival_s\":0.046926808,\"input_toks\":33,\"output_toks\":5,\"hash_ids16\":[0,1]}\n"
       "{\"arrival_s\":0.347938951,\"input_toks\":16,\"output_toks\":7,\"hash_ids16\":[0]}\n"
       "{\"arrival_s\":0.4,\"input_toks\":15,\"output_toks\":7,\"hash_ids16\":[]}\n"
       "{\"arrival_s\":0.4,\"input_toks\":48,\"output_toks\":1,\"hash_ids16\":[0,1,2]}\n"
       "{\"arrival_s\":1,\"input_toks\":16,\"output_toks\":2,\"hash_ids16\":[9]}\n"},
      {"burstgpt",
       "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
       "Type\n"
       "19440110.0,1722ac82-0a46-4bf0-aa08-89794e7a2b3f,43,GPT-4,906,446,1352,Conversation log\n"
       "19440161.0,d5983bf9-4b48-497b-892b-a58995247443,2,ChatGPT,36,29,65,Conversation log\n"
       "19440192.0,,0,ChatGPT,10,0,10,API log\n"
       "19440193.5,1722ac82-0a46-4bf0-aa08-89794e7a2b3f,3,GPT-4,1400,9,1409,Conversation log\n"
       "19440194.0,,1,ChatGPT,12,34,46,API log\n"
       "19440195.0,,1,ChatGPT,12,35,47,API log\n"},
      {"vidur",
       "arrived_at,num_prefill_tokens,num_decode_tokens\n"
       "0.0,3772,54\n0.25,2015,156\n1.5,10,1\n1.5,11,2\n2e0,12,3\n"},
      {"splitwise",
       "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_"
       "size\n"
       "0,2,0,0.001,1,374,44\n1,2,0,4.3,1,396,109\n2,2,0,4.4,1,879,55\n3,2,0,5,1,91,16\n"
       "4,2,0,5,1,92,17\n"},
      {"csv",
       "arrival_s,prompt_tokens,output_tokens,session,turn\n"
       "0.5,10,5,7,0\n0.6,12,5,,\n1,20,5,7,1\n1,30,5,\"a, b\",0\n1.25,40,6,7,2\n"},
      {"jsonl",
       "{\"prompt_tokens\": 10, \"output_tokens\": 5, \"arrival_s\": 0.5, \"session\": 7}\n"
       "{\"arrival_s\": 1, \"prompt_tokens\": 12, \"output_tokens\": 5, \"session\": null}\n"
       "{\"arrival_s\": 1.5, \"prompt_tokens\": 20, \"output_tokens\": 5, \"session\": 7}\n"
       "{\"arrival_s\": 1.5, \"prompt_tokens\": 33, \"output_tokens\": 5, \"hash_block_tokens\": "
       "16, "
       "\"block_hashes\": [1, 18446744073709551615], \"other\": {\"a\": [1, {\"b\": \"}\"}]}}\n"
       "{\"arrival_s\": 1.75, \"prompt_tokens\": 1, \"output_tokens\": 1, \"session\": \"x\"}\n"},
  };
  return samples;
}

}  // namespace orrery::traces
